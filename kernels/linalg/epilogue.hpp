// The prologue and epilogue of a product. They run piece by piece, while each piece is in cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace sinter::blas {

struct product;
struct tiling;

/// Receives finished elements: `rows` rows, counted through the batch, of `cols` columns each.
/// Called once for every element, on several threads at a time. Must not throw.
struct epilogue {
    void* context;
    void (*run)(void* context, int64_t row, int64_t rows, int64_t col, int64_t cols);
    bool whole_rows;  // true: takes only rows with all their columns
};

/// Computes rows of a product's first operand, which does not exist in memory as a whole. Rows are
/// dense and counted through the batch. Called on several threads at a time, perhaps several times
/// for a row. Must not throw.
struct prologue {
    void* context;
    void (*run)(void* context, int64_t row, int64_t rows, char* to);
};

/// Passes the tiles of a product to its epilogue, if any, as they are finished.
class finished_tiles {
public:
    finished_tiles(const product& p, const tiling& t);

    /// The part of one thread, which finishes its tiles in rising order. Gathers small tiles.
    class share {
    public:
        explicit share(const finished_tiles& all) : all_(all) {}
        ~share() { pass(); }
        share(const share&) = delete;

        /// Reports a finished tile. `index` counts tiles through the batch.
        void done(int64_t index);

    private:
        void pass();
        void add_rows(int64_t begin, int64_t end);

        const finished_tiles& all_;
        int64_t begin_ = 0, end_ = 0;  // rows not passed yet
    };

    /// Call it when all shares have ended.
    void end() const;

private:
    enum class when : uint8_t {
        never,
        tile,   // each tile by itself
        panel,  // all tiles of a panel, which together form whole rows
        rows,   // a tile consists of whole rows
        end,    // the whole result at the end: no part is finished earlier, or there are too few
                // parts
    };
    when choose() const;

    const product& p_;
    const tiling& t_;
    const when when_;
    std::unique_ptr<std::atomic<int64_t>[]> missing_;  // unfinished tiles of each panel
};

/// Passes the whole result to the product's epilogue, in rows shared among threads.
void follow_all(const product& p);

}  // namespace sinter::blas
