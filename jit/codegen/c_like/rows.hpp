// The kernel source of one kernel by rows: one function per launch of its form. A pass runs over
// the elements of chunks; states are the results of its lanes and chunks.
#pragma once

#include "jit/codegen/c_like/kept.hpp"
#include "jit/codegen/c_like/text.hpp"

#include <map>
#include <optional>

namespace sinter::codegen {

class rows_printer : kernel_text {
public:
    rows_printer(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                 c_like_function& function);
    std::string print();

private:
    struct reduction {
        kernel_ir::value_id id;
        std::string name;
        kernel_ir::reduction_fragments parts;
        std::vector<std::string> words;  // variables with the state of a chunk, later of all chunks
        int64_t first_word;              // of its state in the workspace, within the stage's
    };
    struct state {
        std::string word, index;
    };

    // ---- functions: rows.cpp

    void print_whole();
    void print_chunks(const kernel_ir::stage& s, const std::string& name);
    void print_merge(const kernel_ir::stage& s, const std::string& name);
    void open_bounded(const std::string& name, unsigned threads);
    void print_place();
    void open_rows(const std::string& base);
    void print_earlier(const kernel_ir::stage& until);
    void print_after();
    bool is_last(const kernel_ir::stage& s) const { return &s == &order_.stages.back(); }

    // ---- a stage over the elements of a block's chunks: row_pass.cpp

    bool is_kept(std::size_t operand) const;
    bool is_replaced(std::size_t operand) const;
    bool after_kept(const kernel_ir::stage& s) const;
    std::vector<kernel_ir::value_id> elements(const kernel_ir::stage& s) const;
    /// What a pass reads from memory: a load, or the kept value.
    struct read {
        std::size_t operand;
        std::string type;  // in memory
        int64_t size;
        bool kept, computed;  // in shared memory, in the type in which it is computed
    };
    std::optional<read> read_of(const kernel_ir::stage& s, kernel_ir::value_id v) const;
    std::string in_memory(std::size_t operand) const;
    std::string kept_at(std::size_t operand, const std::string& element) const;
    void set_read(const read& from, kernel_ir::value_id v, const std::string& text);
    void fetch_kept();
    void fetch(std::size_t operand);
    void keep_value(const kernel_ir::stage& s);
    void print_stores(const kernel_ir::stage& s);
    void print_reductions(const kernel_ir::stage& s, const std::vector<reduction>& reductions);
    void print_pass(const kernel_ir::stage& s, const std::vector<reduction>& reductions,
                    bool deviations, bool with_stores);
    void print_steps(const kernel_ir::stage& s, const std::vector<reduction>& reductions,
                     bool deviations, bool with_stores, int steps);
    void load_steps(const kernel_ir::stage& s, int steps);
    std::string element_at(const std::string& step) const;
    void print_elements(const kernel_ir::stage& s);
    void take_element(const reduction& r, bool deviations);
    void unroll(const std::string& loop);

    // ---- states: row_states.cpp

    std::vector<reduction> make_reductions(const kernel_ir::stage& s) const;
    std::string word_type(const reduction& r, std::size_t word) const;
    void declare_shared();
    void declare_states(const std::vector<reduction>& reductions);
    void combine(const reduction& r, const state& a, const state& b);
    void fold_lanes(const reduction& r);
    void fold_between(const reduction& r, int members);
    void take_state(const reduction& r, bool deviations);
    void keep_states(const std::vector<reduction>& reductions);
    void merge_kept(const std::vector<reduction>& reductions);
    void merge(const reduction& r, const state& a, const state& b, const std::string& begin,
               const std::string& length);
    int declare_merged(const std::vector<reduction>& reductions);
    void merge_parts(const std::vector<reduction>& reductions, int here);
    std::string in_workspace(const reduction& r, std::size_t word, const std::string& part) const;
    std::string finished(kernel_ir::value_id reduction) const;
    void finish(const std::vector<reduction>& reductions);

    /// Returns true if a thread's lanes are adjacent and its elements are one access.
    bool adjacent() const { return form_.packed && !form_.kept && !form_.across; }
    /// Returns true if a thread loads elements of two adjacent rows at once. In a pass it then has
    /// the pair of rows `pair` of the block and the `share` of their lanes: with members() threads
    /// for a row, every 2 * members()-th from this on. Its even a[j] are of the first row.
    bool paired() const { return form_.packed && form_.across; }
    /// Returns true if only the first chunks of a row are kept.
    bool partly() const { return form_.kept == 3; }
    int members() const { return 32 / form_.lanes; }
    int group() const { return members() * form_.teams; }

    const row_form form_;
    c_like_function& function_;
    kept_rows kept_;
    std::map<kernel_ir::value_id, std::string> computed_;  // as loaded_, but not to be widened
};

}  // namespace sinter::codegen
