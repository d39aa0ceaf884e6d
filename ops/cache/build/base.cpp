// The command base: a recording of single operations, each row and dtype. A pack of it runs eager
// mode on a GPU without a compiler, and what a program's own recording lacks.
#include "engine/plan/subgraph.hpp"
#include "engine/recordings/expression_work.hpp"
#include "engine/recordings/portable_work.hpp"
#include "jit/stored/recording.hpp"
#include "ops/cache/build/sources.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/dtype_names.hpp"
#include "ops/cache/files.hpp"
#include "runtime/memory/arena.hpp"

#include <sinter/sinter.hpp>

#include <iterator>

namespace sinter::cache_command {
namespace {

using code_cache::bytes;

constexpr ScalarType all_dtypes[] = {kFloat, kDouble, kHalf,         kBFloat16,
                                     kByte,  kChar,   kShort,        kInt,
                                     kLong,  kBool,   kComplexFloat, kComplexDouble};

/// Works of single operations, without those that a dtype refuses.
class base_works {
public:
    explicit base_works(std::vector<ScalarType> dtypes) : dtypes_(std::move(dtypes)) {}

    std::vector<bytes> make() {
        const ModeGuard lazy(Mode::lazy);
        for (const ScalarType t : dtypes_) {
            for (std::size_t row = 0; row < op::count; ++row) add_row(row, t);
            add_reductions(t);
            add_copies(t);
        }
        add_random();
        return std::move(works_);
    }

private:
    /// Adds what a pending tensor needs; a part that is in memory needs nothing.
    template <class F>
    void add(const F& make_tensor) {
        try {
            const Tensor t = make_tensor();
            Version* const wanted[] = {t.unsafeGetTensorImpl()->storage->current.get()};
            const runtime::arena memory;
            const plan::claimed_work claimed(wanted);
            if (!claimed.w.nodes.empty()) works_.push_back(plan::write_work(claimed.w));
        } catch (const InternalError&) {
            throw;
        } catch (const Error&) {
        }
    }

    /// Tensors as all operands, and a number as each of several. Random rows read indices:
    /// add_random.
    void add_row(std::size_t row, ScalarType dtype) {
        if (op::rows[row].rule == dtype_rule::random) return;
        const int arity = op::rows[row].arity;
        for (int number = -1; number < (arity > 1 ? arity : 0); ++number) {
            std::vector<uint16_t> words;
            for (int i = 0; i < arity; ++i)
                words.push_back(i == number ? token_scalar : token_leaf);
            words.push_back(static_cast<uint16_t>(row));
            try {
                works_.push_back(plan::write_expression(words, dtype));
            } catch (const InternalError&) {
                throw;
            } catch (const Error&) {
            }
        }
    }

    static Tensor rows_of(ScalarType dtype) { return empty({256, 512}, dtype); }

    void add_reductions(ScalarType dtype) {
        const Tensor x = rows_of(dtype);
        add([&] { return x.sum(1); });
        add([&] { return x.prod(1); });
        add([&] { return x.mean(1); });
        add([&] { return x.amax(1); });
        add([&] { return x.amin(1); });
        add([&] { return x.any(1); });
        add([&] { return x.all(1); });
        add([&] { return x.argmax(1); });
        add([&] { return x.argmin(1); });
        add([&] { return x.var(1); });
        add([&] { return x.std(1); });
        add([&] { return softmax(x, 1); });
        add([&] { return log_softmax(x, 1); });
        add([&] { return logsumexp(x, 1); });
    }

    void add_copies(ScalarType dtype) {
        const Tensor x = rows_of(dtype);
        for (const ScalarType to : dtypes_)
            if (isComplexType(to) || !isComplexType(dtype)) add([&] { return x.to(to); });
        add([&] { return x.t().contiguous(); });
        add([&] { return full({1024}, 1, x.options()); });
        add([&] { return arange(1024, x.options()); });
    }

    void add_random() {
        for (const ScalarType t : {kFloat, kDouble}) {
            add([&] { return rand({1024}, t); });
            add([&] { return randn({1024}, t); });
        }
        add([] { return randint(0, 10, {1024}); });
    }

    std::vector<ScalarType> dtypes_;
    std::vector<bytes> works_;
};

}  // namespace

answer base(const arguments& a) {
    std::vector<ScalarType> dtypes = dtypes_of(a.dtypes);
    if (dtypes.empty()) dtypes.assign(std::begin(all_dtypes), std::end(all_dtypes));
    code_cache::recording r;
    r.works = base_works(dtypes).make();
    r.sources = usual_sources(dtypes);
    r.moves = usual_moves(dtypes);
    code_cache::make_unique(r);
    answer done;
    done.records.push_back({{"recording", a.output},
                            {"works", uint64_t{r.works.size()}},
                            {"sources", uint64_t{r.sources.size()}},
                            {"moves", uint64_t{r.moves.size()}}});
    const bytes content = code_cache::write_recording(std::move(r));
    write_file(a.output, content);
    return done;
}

}  // namespace sinter::cache_command
