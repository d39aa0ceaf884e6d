#include "kernels/linalg/epilogue.hpp"

#include "kernels/linalg/product_parts.hpp"
#include "runtime/threads/threads.hpp"

namespace sinter::blas {
namespace {

constexpr int64_t piece_bytes = int64_t{128} << 10;  // rows are gathered up to this size: it fits
                                                     // L2 and is worth a call
constexpr int64_t shared_elements = 1 << 15;

}  // namespace

finished_tiles::finished_tiles(const product& p, const tiling& t) : p_(p), t_(t), when_(choose()) {
    if (when_ != when::panel) return;
    const int64_t panels = p.batches * t.m_count;
    missing_.reset(new std::atomic<int64_t>[static_cast<std::size_t>(panels)]);
    for (int64_t i = 0; i < panels; ++i)
        missing_[static_cast<std::size_t>(i)].store(t.n_count, std::memory_order_relaxed);
}

finished_tiles::when finished_tiles::choose() const {
    if (!p_.after) return when::never;
    if (t_.k_count > 1 || p_.batches * t_.tiles() == 1) return when::end;
    if (t_.n_count == 1) return when::rows;
    if (!p_.after->whole_rows) return when::tile;
    // With fewer panels than threads, some threads would idle after the product.
    return p_.batches * t_.m_count < runtime::available_threads() ? when::end : when::panel;
}

void finished_tiles::share::done(int64_t index) {
    if (all_.when_ == when::never || all_.when_ == when::end) return;
    const product& p = all_.p_;
    const int64_t tiles = all_.t_.tiles(), batch = index / tiles;
    const tile t = tile_at(all_.t_, p, index % tiles);
    const int64_t row = batch * p.m + t.m0;
    switch (all_.when_) {
        case when::tile: p.after->run(p.after->context, row, t.m, t.n0, t.n); break;
        case when::panel: {
            const int64_t panel = batch * all_.t_.m_count + t.m0 / all_.t_.m;
            std::atomic<int64_t>& missing = all_.missing_[static_cast<std::size_t>(panel)];
            // acq_rel: the thread that finishes the last tile must see the tiles of the others.
            if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1)
                p.after->run(p.after->context, row, t.m, 0, p.n);
            break;
        }
        default: add_rows(row, row + t.m);
    }
}

void finished_tiles::share::add_rows(int64_t begin, int64_t end) {
    if (begin != end_) pass();
    if (begin_ == end_) begin_ = begin;
    end_ = end;
    const product& p = all_.p_;
    if ((end_ - begin_) * p.n * static_cast<int64_t>(elementSize(p.dtype)) >= piece_bytes) pass();
}

void finished_tiles::share::pass() {
    if (begin_ == end_) return;
    const product& p = all_.p_;
    p.after->run(p.after->context, begin_, end_ - begin_, 0, p.n);
    begin_ = end_;
}

void finished_tiles::end() const {
    if (when_ == when::end) follow_all(p_);
}

void follow_all(const product& p) {
    if (!p.after) return;
    const int64_t rows = p.batches * p.m;
    const int64_t grain = std::max<int64_t>(1, shared_elements / std::max<int64_t>(p.n, 1));
    runtime::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
        p.after->run(p.after->context, begin, end - begin, 0, p.n);
    });
}

}  // namespace sinter::blas
