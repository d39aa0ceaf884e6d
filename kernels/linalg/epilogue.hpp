// What runs before and behind a product piece by piece, each while it is still in the caches.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace sinter::blas {

struct product;
struct tiling;

/// Takes finished elements: `rows` rows, counted through the batch, of `cols` columns each. Called
/// once for every element, on several threads at a time. Does not throw.
struct epilogue {
    void* context;
    void (*run)(void* context, int64_t row, int64_t rows, int64_t col, int64_t cols);
    bool whole_rows;  // only rows with all their columns
};

/// Makes rows of a product's first operand, which is nowhere in memory as a whole: dense, counted
/// through the batch. Called on several threads at a time, perhaps several times for a row. Does
/// not throw.
struct prologue {
    void* context;
    void (*run)(void* context, int64_t row, int64_t rows, char* to);
};

/// Hands the tiles of a product to its epilogue, if it has one, as they are finished.
class finished_tiles {
public:
    finished_tiles(const product& p, const tiling& t);

    /// Of one thread, whose tiles are finished in rising order. Gathers small ones.
    class share {
    public:
        explicit share(const finished_tiles& all) : all_(all) {}
        ~share() { pass(); }
        share(const share&) = delete;

        /// `index` counts tiles through the batch.
        void done(int64_t index);

    private:
        void pass();
        void add_rows(int64_t begin, int64_t end);

        const finished_tiles& all_;
        int64_t begin_ = 0, end_ = 0;  // rows to pass
    };

    /// When all shares have ended.
    void end() const;

private:
    enum class when : uint8_t {
        never,
        tile,   // each by itself
        panel,  // tiles side by side make rows
        rows,   // a tile is rows
        end,    // all at once: no part is finished before the others, or parts are too few
    };
    when choose() const;

    const product& p_;
    const tiling& t_;
    const when when_;
    std::unique_ptr<std::atomic<int64_t>[]> missing_;  // tiles of each panel
};

/// Hands the whole result to the product's epilogue, by rows that threads share.
void follow_all(const product& p);

}  // namespace sinter::blas
