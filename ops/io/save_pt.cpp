// Writes PyTorch's files, as load_pt.cpp describes them.
#include "ops/io/archive.hpp"
#include "ops/io/files.hpp"
#include "ops/io/pickle.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pt.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/storage.hpp>

namespace sinter::inline v1 {
namespace {

constexpr ops::archive_kind pt_to_save{"save_pt", "", "", "load_npy() and save_npy()"};
constexpr std::size_t longest_name = 4096;  // of those that load_pt reads

/// The memory of one or more tensors.
struct written_memory {
    std::string entry;
    Tensor elements;  // all of them, in one dimension
    bool shared;      // whether it is all of the tensors' memory
};

class pt_writer {
public:
    explicit pt_writer(const std::vector<Tensor>& tensors);
    void describe(ops::pickle_text& out, const Tensor& t) const;
    void write(const std::string& path, const std::string& pickle) const;

private:
    using owner = std::pair<const Storage*, ScalarType>;
    static owner owner_of(const Tensor& t) {
        const TensorImpl& body = ops::body("save_pt", t);
        return {body.storage.get(), body.dtype};
    }

    std::map<owner, written_memory> memories_;
    std::vector<std::pair<std::string, Tensor>> rows_;  // entries and their elements
};

pt_writer::pt_writer(const std::vector<Tensor>& tensors) {
    std::map<owner, int> uses;
    for (const Tensor& t : tensors) ++uses[owner_of(t)];
    std::vector<Tensor> elements;
    std::vector<written_memory*> order;
    for (const Tensor& t : tensors) {
        const owner of = owner_of(t);
        written_memory& m = memories_[of];
        if (!m.entry.empty()) continue;
        m.entry = std::to_string(order.size());
        m.shared = uses[of] > 1;
        const Tensor plain = t.detach();
        m.elements =
            m.shared ? plain.as_strided({plain.storage().size()}, {1}, 0) : plain.reshape({-1});
        elements.push_back(m.elements);
        order.push_back(&m);
    }
    const std::vector<Tensor> rows = ops::rows_to_save("save_pt", elements);
    for (std::size_t i = 0; i < rows.size(); ++i) rows_.push_back({order[i]->entry, rows[i]});
}

void pt_writer::describe(ops::pickle_text& out, const Tensor& t) const {
    namespace op = ops::pickle_op;
    const written_memory& m = memories_.at(owner_of(t));
    const geometry& g = *t.unsafeGetTensorImpl()->shape;
    const geometry_ptr plain = m.shared ? nullptr : make_contiguous(g.sizes_ref());
    const IntArrayRef strides = plain ? plain->strides_ref() : g.strides_ref();
    const auto tuple = [&](IntArrayRef numbers) {
        out.op(op::mark);
        for (const int64_t n : numbers) out.integer(n);
        out.op(op::tuple);
    };
    out.global("torch._utils", "_rebuild_tensor_v2").op(op::mark);
    out.op(op::mark).text("storage").global("torch",
                                            toString(t.scalar_type()) + std::string("Storage"));
    out.text(m.entry).text("cpu").integer(m.elements.numel()).op(op::tuple).op(op::persistent);
    out.integer(plain ? 0 : g.offset);
    tuple(g.sizes_ref());
    tuple(strides);
    out.boolean(t.requires_grad());
    out.global("collections", "OrderedDict").op(op::empty_tuple).op(op::reduce);
    out.op(op::tuple).op(op::reduce);
}

void pt_writer::write(const std::string& path, const std::string& pickle) const {
    constexpr std::string_view folder = "archive/";
    const auto entry = [&](const std::string& name) { return std::string(folder) + name; };
    constexpr std::string_view order = "little", version = "3\n";
    ops::archive_writer out(pt_to_save, path);
    out.add(entry("data.pkl"), pickle, {}, false);
    out.add(entry("byteorder"), order, {}, false);
    for (const auto& [name, row] : rows_)
        out.add(entry("data/" + name), ops::npy_elements(*row.unsafeGetTensorImpl()), {}, false);
    out.add(entry("version"), version, {}, false);
    out.finish();
}

}  // namespace

void save_pt(const std::string& path, const std::map<std::string, Tensor>& tensors) {
    std::vector<Tensor> in_order;
    for (const auto& [name, t] : tensors) {
        if (name.size() > longest_name)
            runtime::fail<ValueError>(
                "save_pt", "a name is too long", runtime::text(name.size(), " bytes"),
                runtime::text("at most ", longest_name, " bytes"), "a shorter name");
        in_order.push_back(t);
    }
    const pt_writer w(in_order);
    ops::pickle_text pickle;
    pickle.op(ops::pickle_op::empty_dict).op(ops::pickle_op::mark);
    for (const auto& [name, t] : tensors) {
        pickle.text(name);
        w.describe(pickle, t);
    }
    w.write(path, pickle.op(ops::pickle_op::set_items).end());
}

void save_pt(const std::string& path, const tensor_base& tensor) {
    ops::body("save_pt", tensor);
    const Tensor t = tensor.self();
    const pt_writer w({t});
    ops::pickle_text pickle;
    w.describe(pickle, t);
    w.write(path, pickle.end());
}

}  // namespace sinter::inline v1
