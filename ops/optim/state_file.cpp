// Options and states of optimisers as arrays of an archive. Their names begin with that of the
// optimiser: SGD.groups, SGD.group0.lr, SGD.state3.momentum_buffer, with parameters counted through
// all groups. A list of tensors is one array with a dimension more.
#include "ops/optim/update.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/npz.hpp>
#include <sinter/functions/shape.hpp>

#include <map>

namespace sinter::inline v1::optim {

using runtime::fail;
using runtime::text;

namespace {

using arrays = std::map<std::string, Tensor>;

Tensor array_of(double value) { return full({}, value, kDouble); }
Tensor array_of(int64_t value) { return full({}, value, kLong); }
Tensor array_of(bool value) { return full({}, value, kBool); }
Tensor array_of(const std::tuple<double, double>& value) {
    return tensor({std::get<0>(value), std::get<1>(value)}, kDouble);
}
Tensor array_of(const std::string& value) {
    return tensor(std::vector<int64_t>(value.begin(), value.end()), kByte);
}
Tensor array_of(const Tensor& value) { return value; }
Tensor array_of(const std::deque<Tensor>& value) {
    return stack(std::vector<Tensor>(value.begin(), value.end()));
}

bool is_there(const Tensor& value) { return value.defined(); }
bool is_there(const std::deque<Tensor>& value) { return !value.empty(); }

/// Adds fields to `into`, those without a value not.
class writer final : public FieldVisitor {
public:
    writer(arrays& into, std::string prefix) : into_(into), prefix_(std::move(prefix)) {}
    void field(const char* name, double& value) override { add(name, value); }
    void field(const char* name, int64_t& value) override { add(name, value); }
    void field(const char* name, bool& value) override { add(name, value); }
    void field(const char* name, std::tuple<double, double>& value) override { add(name, value); }
    void field(const char* name, std::optional<int64_t>& value) override {
        if (value) add(name, *value);
    }
    void field(const char* name, std::optional<std::string>& value) override {
        if (value) add(name, *value);
    }
    void field(const char* name, Tensor& value) override { add_tensors(name, value); }
    void field(const char* name, std::deque<Tensor>& value) override { add_tensors(name, value); }
    void number(const char* name, Tensor& value) override { add_tensors(name, value); }
    void number(const char* name, std::deque<Tensor>& value) override { add_tensors(name, value); }

private:
    template <class T>
    void add(const char* name, const T& value) {
        into_[prefix_ + name] = array_of(value);
    }
    template <class T>
    void add_tensors(const char* name, const T& value) {
        if (is_there(value)) add(name, value);
    }

    arrays& into_;
    std::string prefix_;
};

/// An archive, with errors that name it.
class source {
public:
    source(const std::string& path, std::string optimizer)
        : path_(path), optimizer_(std::move(optimizer)), arrays_(load_npz(path)) {
        if (has(".groups")) return;
        std::string other = "arrays of other names";
        for (const auto& [name, t] : arrays_)
            if (const auto at = name.find(".groups"); at != std::string::npos)
                other = "options and states of " + name.substr(0, at);
        refuse("the file is not of this optimizer", other, "those of " + optimizer_,
               "load() of an optimizer of that class");
    }

    bool has(const std::string& name) const { return arrays_.count(optimizer_ + name) > 0; }
    /// Returns true if there are arrays whose names begin so.
    bool has_any(const std::string& prefix) const {
        const auto next = arrays_.lower_bound(optimizer_ + prefix);
        return next != arrays_.end() && next->first.rfind(optimizer_ + prefix, 0) == 0;
    }
    /// Returns an array of this number of dimensions.
    const Tensor& get(const std::string& name, int64_t dims) const {
        const Tensor& found = find(name);
        if (found.dim() != dims) refuse_shape(name, found, runtime::count_of(dims, "dimension"));
        return found;
    }
    /// Returns an array of these sizes, after a first dimension if it is a list.
    const Tensor& get(const std::string& name, IntArrayRef sizes, bool list) const {
        const Tensor& found = find(name);
        std::vector<int64_t> expected = sizes.vec();
        if (list && found.dim() > 0) expected.insert(expected.begin(), found.size(0));
        if (found.sizes() != IntArrayRef(expected))
            refuse("the shape of a state does not match its parameter",
                   text(optimizer_, name, " of shape ", found.sizes()),
                   text("shape ", IntArrayRef(expected)), "the parameters with which it was saved");
        return found;
    }
    [[noreturn]] void refuse_shape(const std::string& name, const Tensor& found,
                                   const std::string& expected) const {
        refuse("the shape of an array is not what save() writes",
               text(optimizer_, name, " of shape ", found.sizes()), expected,
               "a file that save() wrote");
    }
    int64_t count(const std::string& name) const { return get(name, 0).item<int64_t>(); }
    [[noreturn]] void refuse(const std::string& what, const std::string& got,
                             const std::string& expected, const std::string& remedy) const {
        fail("load", what, got, expected, remedy);
    }

private:
    const Tensor& find(const std::string& name) const {
        const auto found = arrays_.find(optimizer_ + name);
        if (found == arrays_.end())
            refuse("the file lacks an array", path_, optimizer_ + name, "a file that save() wrote");
        return found->second;
    }

    std::string path_, optimizer_;
    arrays arrays_;
};

/// Sets fields to what an archive has; those that may be missing lose their value if they are.
class reader final : public FieldVisitor {
public:
    /// Tensors get the dtype and device of `like`, and have its sizes.
    reader(const source& from, std::string prefix, Tensor like = {})
        : from_(from), prefix_(std::move(prefix)), like_(std::move(like)) {}
    void field(const char* name, double& value) override { value = one<double>(name); }
    void field(const char* name, int64_t& value) override { value = one<int64_t>(name); }
    void field(const char* name, bool& value) override { value = one<bool>(name); }
    void field(const char* name, std::tuple<double, double>& value) override {
        const Tensor& two = from_.get(prefix_ + name, 1);
        if (two.numel() != 2) from_.refuse_shape(prefix_ + name, two, "shape [2]");
        value = {two[0].item<double>(), two[1].item<double>()};
    }
    void field(const char* name, std::optional<int64_t>& value) override {
        value.reset();
        if (from_.has(prefix_ + name)) value = one<int64_t>(name);
    }
    void field(const char* name, std::optional<std::string>& value) override {
        value.reset();
        if (!from_.has(prefix_ + name)) return;
        const Tensor& letters = from_.get(prefix_ + name, 1);
        value.emplace();
        for (int64_t i = 0; i < letters.numel(); ++i)
            value->push_back(static_cast<char>(letters[i].item<uint8_t>()));
    }
    void field(const char* name, Tensor& value) override { read(name, like_.sizes(), value); }
    void field(const char* name, std::deque<Tensor>& value) override {
        read(name, like_.sizes(), value);
    }
    void number(const char* name, Tensor& value) override { read(name, {}, value); }
    void number(const char* name, std::deque<Tensor>& value) override { read(name, {}, value); }

private:
    template <class T>
    T one(const char* name) const {
        return from_.get(prefix_ + name, 0).item<T>();
    }
    void read(const char* name, IntArrayRef sizes, Tensor& value) const {
        value.reset();
        if (from_.has(prefix_ + name))
            value = from_.get(prefix_ + name, sizes, false).to(like_.options());
    }
    void read(const char* name, IntArrayRef sizes, std::deque<Tensor>& all) const {
        all.clear();
        if (!from_.has(prefix_ + name)) return;
        const Tensor rows = from_.get(prefix_ + name, sizes, true).to(like_.options());
        // Each row has memory of its own, since old ones are dropped.
        for (int64_t i = 0; i < rows.size(0); ++i) all.push_back(rows[i].clone());
    }

    const source& from_;
    std::string prefix_;
    Tensor like_;
};

std::string group_prefix(std::size_t group) { return text(".group", group, "."); }
std::string state_prefix(std::size_t parameter) { return text(".state", parameter, "."); }

}  // namespace

void Optimizer::save(const std::string& path) const {
    arrays all;
    const std::string optimizer = name();
    all[optimizer + ".groups"] = array_of(static_cast<int64_t>(param_groups_.size()));
    std::size_t number = 0;
    for (std::size_t i = 0; i < param_groups_.size(); ++i) {
        const OptimizerParamGroup& group = param_groups_[i];
        all[optimizer + group_prefix(i) + "params"] =
            array_of(static_cast<int64_t>(group.params().size()));
        writer options(all, optimizer + group_prefix(i));
        group.options().clone()->visit(options);
        for (const Tensor& p : group.params()) {
            writer values(all, optimizer + state_prefix(number++));
            if (const auto s = state_.find(p.unsafeGetTensorImpl()); s != state_.end())
                s->second->visit(values);
        }
    }
    save_npz(path, all);
}

void Optimizer::load(const std::string& path) {
    const source from(path, name());
    if (const int64_t groups = from.count(".groups");
        groups != static_cast<int64_t>(param_groups_.size()))
        from.refuse("loaded state dict has a different number of parameter groups", text(groups),
                    text(param_groups_.size()), "the groups with which it was saved");
    std::vector<std::unique_ptr<OptimizerOptions>> options;
    state_map states;
    std::size_t number = 0;
    for (std::size_t i = 0; i < param_groups_.size(); ++i) {
        const OptimizerParamGroup& group = param_groups_[i];
        if (const int64_t params = from.count(group_prefix(i) + "params");
            params != static_cast<int64_t>(group.params().size()))
            from.refuse(
                "loaded state dict contains a parameter group that doesn't match the size "
                "of optimizer's group",
                text(params, " parameters in group ", i), text(group.params().size()),
                "the parameters with which it was saved");
        options.push_back(group.options().clone());
        reader values(from, group_prefix(i));
        options.back()->visit(values);
        check(*options.back(), param_groups_.size());
        for (const Tensor& p : group.params()) {
            const std::string prefix = state_prefix(number++);
            if (!from.has_any(prefix)) continue;
            std::unique_ptr<OptimizerParamState> s = new_state();
            reader fields(from, prefix, state_like(p));
            s->visit(fields);
            states[p.unsafeGetTensorImpl()] = std::move(s);
        }
    }
    for (std::size_t i = 0; i < param_groups_.size(); ++i)
        param_groups_[i].set_options(std::move(options[i]));
    state_ = std::move(states);
}

}  // namespace sinter::inline v1::optim
