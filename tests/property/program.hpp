// Random programs over a pool of tensors, and the machine that runs them.
//
// A program is a list of statements; a statement is a kind and a seed. Its details (operands,
// views, dimensions, numbers) are decided while it runs, from its seed and from the shapes and
// dtypes in the pool. Neither depends on values, so every mode runs the same program, and any
// statement can be left out. That makes shrinking simple.
#pragma once

#include <sinter/builder.hpp>
#include <sinter/functions/indexing.hpp>
#include <sinter/sinter.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sinter::test {

// clang-format off: it lays out such lists another way each time
#define SINTER_STATEMENTS(X)                                                              \
    X(make) X(draw) X(view) X(cast) X(pointwise) X(reduce) X(pattern) X(product) X(chain) \
    X(write_row) X(write_value) X(write_self) X(hold) X(finish) X(named) X(alias) X(drop) \
    X(function) X(write_function) X(exact_product) X(lay_out) X(write_laid_out)           \
    X(blob) X(const_blob) X(dying) X(poke) X(expose) X(read) X(read_two) X(describe)
// clang-format on

enum class statement_kind : uint8_t {
#define SINTER_KIND(name) name,
    SINTER_STATEMENTS(SINTER_KIND)
#undef SINTER_KIND
        count
};

/// The action after a statement: between.cpp.
enum class pause_kind : uint8_t {
    nothing,
    eval_last,  // of the last write
    eval_any,
    eval_all,
    print,
    alias,
    explain,
    count
};

struct statement {
    statement_kind what;
    uint64_t seed;
    pause_kind then = pause_kind::nothing;
};

using program = std::vector<statement>;

/// Decides for each program whether it pauses never, sometimes or always, and how.
void add_pauses(program& p, uint64_t seed);

/// Returns statements chosen by fixed weights, with pauses.
program random_program(uint64_t seed, int statements);
/// Returns the program without statements that access a tensor's memory by its address, and with
/// products whose sums are exact, since the vendor chooses their order.
program for_a_device(program p);

/// A stream of small random choices.
class chooser {
public:
    explicit chooser(uint64_t seed) : state_(seed) {}
    uint64_t bits() {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// Returns 0 to n - 1; 0 if there is nothing to choose.
    int64_t below(int64_t n) {
        return n <= 0 ? 0 : static_cast<int64_t>(bits() % static_cast<uint64_t>(n));
    }
    int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
    bool chance(int in) { return below(in) == 0; }

private:
    uint64_t state_;
};

// clang-format off
#define SINTER_VIEWS(X)                                                                    \
    X(same) X(view) X(transpose) X(t) X(permute) X(slice) X(select) X(narrow) X(expand)    \
    X(expand_as) X(squeeze) X(squeeze_dim) X(unsqueeze) X(diagonal) X(unfold)              \
    X(as_strided) X(detach) X(subscript) X(index) X(reshape) X(flatten) X(flip) X(roll)    \
    X(rot90) X(contiguous) X(clone) X(real) X(imag) X(as_real) X(as_complex)
// clang-format on

enum class view_kind : uint8_t {
#define SINTER_KIND(name) name,
    SINTER_VIEWS(SINTER_KIND)
#undef SINTER_KIND
        count
};
const char* to_string(view_kind k);
const char* to_string(statement_kind k);

/// What the programs have covered, over all seeds.
struct coverage {
    std::array<uint64_t, op::count> rows{};
    std::array<uint64_t, op::count> rows_in_place{};
    std::array<uint64_t, static_cast<std::size_t>(op::reduction::count)> reductions{};
    std::array<uint64_t, static_cast<std::size_t>(view_kind::count)> views_read{}, views_written{};
    std::array<uint64_t, static_cast<std::size_t>(statement_kind::count)> done{};
    std::array<uint64_t, static_cast<std::size_t>(pause_kind::count)> pauses{};
    // `layouts`: of operands and the targets that they were written to, "rows -> permuted".
    std::map<std::string, uint64_t> cuts, hazards, dtypes, extents, functions, layouts;
    uint64_t statements = 0, writes = 0, refused = 0, reads = 0;
    uint64_t external_reads = 0, external_writes = 0, late_reads = 0;
};

/// A value that a program has read: where, which, and its bytes with every NaN the same.
struct seen {
    int statement;
    std::string what;
    std::string bytes;
    bool operator==(const seen& o) const { return statement == o.statement && bytes == o.bytes; }
};

class machine {
public:
    /// `counts` and `listing` may be null.
    machine(coverage* counts, std::ostream* listing);
    ~machine();

    void run(const program& p);
    const std::vector<seen>& log() const { return log_; }

private:
    static constexpr std::size_t pool = 14, held = 4;

    template <class F>
    void attempt(const F& f);
    void step(const statement& s);
    // values.cpp
    Tensor fresh(chooser& c, bool floating = false);
    Tensor draw(chooser& c);
    expression_builder expression(chooser& c, const Tensor& first, int depth);
    expression_builder apply_row(op::id row, const expression_builder& e,
                                 std::vector<int64_t>& sizes, chooser& c);
    // patterns.cpp
    Tensor reduced(chooser& c, const Tensor& x);
    Tensor pattern(chooser& c);
    /// `exact`: with small whole numbers.
    Tensor product(chooser& c, bool exact);
    Tensor chain(chooser& c);
    // writes.cpp
    void write_row(chooser& c);
    void write_value(chooser& c);
    void write_self(chooser& c);
    void wrote(const Tensor& target, view_kind through);
    // layouts.cpp
    Tensor in_layout(chooser& c, IntArrayRef sizes, ScalarType dtype, bool expanded);
    Tensor laid_out(chooser& c, const Tensor& x);
    std::size_t shaped_slot(chooser& c);
    void lay_out(chooser& c);
    void write_laid_out(chooser& c);
    template <class Make>
    void write_made(chooser& c, const std::string& operands, const Make& make);
    // between.cpp
    void pause(const statement& s);
    std::string hazard(const Tensor& target);
    // functions.cpp
    void function(chooser& c);
    void write_function(chooser& c);
    // memory.cpp
    void blob(chooser& c);
    void const_blob(chooser& c);
    void dying(chooser& c);
    void poke(chooser& c);
    void expose(chooser& c);
    // machine.cpp
    void hold(chooser& c);
    void finish(chooser& c);
    void named(chooser& c);
    void read(chooser& c);
    void read_two(chooser& c);
    void describe(const Tensor& t);
    void record(const char* what, const Tensor& t);
    void record(const char* what, std::string bytes) {
        log_.push_back({at_, what, std::move(bytes)});
    }

    std::size_t any_slot(chooser& c) { return static_cast<std::size_t>(c.below(pool)); }
    /// Returns a slot whose tensor broadcasts with these sizes to something small; `into`: to
    /// exactly these sizes.
    std::optional<std::size_t> fitting(chooser& c, IntArrayRef sizes, bool into);
    void put(chooser& c, Tensor t, const std::string& text);
    template <class... P>
    void say(const P&... parts) {
        if (listing_) (line_ << ... << parts);
    }

    coverage* counts_;
    std::ostream* listing_;
    std::ostringstream line_;
    coverage unused_;
    int at_ = 0;
    std::array<Tensor, pool> slots_;
    std::array<int, pool> since_{};
    std::size_t last_ = 0;       // the slot that was last given a value
    std::size_t held_from_ = 0;  // the slot from which the last unfinished expression was made
    // Unfinished expressions; those of C++ are still unnamed.
    std::array<std::function<Tensor()>, held> built_, expressions_;
    /// Memory that the program itself writes: owned, or through a pointer that a tensor gave it.
    struct region {
        Tensor handle;  // undefined: `own` is the memory
        std::vector<std::max_align_t> own;
        char* data;
        std::size_t elements;
        ScalarType dtype;
    };
    std::vector<std::unique_ptr<region>> regions_;
    std::vector<std::unique_ptr<std::vector<double>>> constants_;
    std::vector<seen> log_;
};

/// Returns the functions that programs call by name: keys of coverage::functions.
std::vector<std::string> function_names();

/// Returns a view (or lazy copy) of `t`, and its kind.
Tensor take_view(chooser& c, const Tensor& t, view_kind& which, const Tensor& other);

/// Returns "rows", "permuted", "gaps", "expanded" or "overlapping", each perhaps with ", offset";
/// "empty"; or "one element".
std::string layout_of(const Tensor& t);

/// Returns the elements in row-major order, with every NaN the same.
std::string canonical_bytes(const Tensor& t);
void make_nans_alike(char* data, std::size_t elements, ScalarType dtype);

/// Returns sizes from extents at which loops often fail: 0, 1, a vector's lanes and a chunk, plus
/// or minus one.
std::vector<int64_t> random_sizes(chooser& c);
ScalarType random_dtype(chooser& c);
/// Returns the sizes of a broadcast, or nothing if they do not fit or get too large.
std::optional<std::vector<int64_t>> small_broadcast(IntArrayRef a, IntArrayRef b);

}  // namespace sinter::test
