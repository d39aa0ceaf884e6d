#include "runtime/device/deferred_check.hpp"

#include "runtime/device/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace sinter::runtime {
namespace {

// A page is filled once and its words are given out one after another, so that a check costs no
// launch. It is freed with the last of its checks.
constexpr std::size_t page_words = 512;

struct page {
    buffer_ptr memory;
    std::size_t used = 0;
};

struct all_pages {
    std::mutex mutex;
    std::map<const gpu_stream*, page> of_stream;
};

all_pages& pages() {
    static all_pages& all = *new all_pages;
    return all;
}

buffer_ptr new_page(gpu_stream& s, std::size_t words) {
    buffer_ptr memory =
        make_buffer(words * sizeof(uint64_t), static_cast<device_index>(s.device().index));
    memory->uses->before_write(s);
    memory->uses->after_write(s, put_fill(s, memory->data, 0, memory->bytes));
    return memory;
}

/// Guards what settling a check writes: several threads may read values that depend on it.
std::mutex& settling() {
    static std::mutex m;
    return m;
}

}  // namespace

deferred_check::deferred_check(gpu_stream& s, std::size_t words) : stream_(s), count_(words) {
    if (words > page_words) {
        page_ = new_page(s, words);
        return;
    }
    all_pages& all = pages();
    const std::lock_guard lock(all.mutex);
    page& p = all.of_stream[&s];
    if (!p.memory || p.used + words > page_words) p = {new_page(s, page_words), 0};
    page_ = p.memory;
    first_ = std::exchange(p.used, p.used + words);
}

uint64_t* deferred_check::words() const { return static_cast<uint64_t*>(page_->data) + first_; }

void deferred_check::put(outcome read) {
    read_ = std::move(read);
    page_->uses->after_write(stream_, stream_.position());
}

void deferred_check::settle(const char* page) {
    const std::lock_guard lock(settling());
    if (state_.load(std::memory_order_relaxed) != state::unknown) return;
    std::vector<uint64_t> words(count_);
    std::memcpy(words.data(), page + first_ * sizeof(uint64_t), count_ * sizeof(uint64_t));
    const bool noted = std::any_of(words.begin(), words.end(), [](uint64_t w) { return w != 0; });
    if (noted && read_) {
        const std::string line = line_ ? line_of(*line_) : "";
        error_ = read_(words, line.empty() ? "" : " (from " + line + ")");
    }
    state_.store(error_ ? state::failed : state::good, std::memory_order_release);
}

std::exception_ptr first_error(std::span<const std::shared_ptr<deferred_check>> checks) {
    using state = deferred_check::state;
    struct copy {
        buffer* page;
        buffer_ptr on_host;
        gpu_stream* stream;
        uint64_t position;
    };
    const auto known = [](const deferred_check& c) {
        return c.state_.load(std::memory_order_acquire) != state::unknown;
    };
    std::vector<copy> copies;
    const auto copy_for = [&](const deferred_check& c) {
        for (std::size_t i = copies.size(); i-- > 0;)
            if (copies[i].page == c.page_.get()) return i;
        return copies.size();
    };
    for (const auto& c : checks) {
        if (known(*c) || copy_for(*c) < copies.size()) continue;
        buffer& page = *c->page_;
        gpu_stream& s = current_stream(c->stream_.device());
        copies.push_back({&page, make_pinned_buffer(page.bytes), &s, 0});
        copy& last = copies.back();
        page.uses->before_read(s);
        last.position = put_copy(s, last.on_host->data, page.data, page.bytes);
        page.uses->after_read(s, last.position);
        last.on_host->uses->after_write(s, last.position);
    }
    for (const copy& c : copies) c.stream->finish(c.position);
    for (const auto& c : checks) {
        if (!known(*c)) c->settle(static_cast<const char*>(copies[copy_for(*c)].on_host->data));
        if (c->state_.load(std::memory_order_acquire) == state::failed) return c->error_;
    }
    return nullptr;
}

}  // namespace sinter::runtime
