#include "engine/run/plan_cache.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pthread.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

namespace sinter::plan {
namespace {

using shared_plan = std::shared_ptr<const executable>;

struct hashed_key {
    plan_key words;
    uint64_t hash;
    bool operator==(const hashed_key& o) const {
        return hash == o.hash &&
               std::equal(words.begin(), words.end(), o.words.begin(), o.words.end());
    }
};
struct hash_of {
    std::size_t operator()(const hashed_key& k) const { return k.hash; }
};

/// Evicts the least recently used plans. A running plan is kept alive by its user.
class plan_cache {
public:
    shared_plan find(const hashed_key& key) {
        std::lock_guard lock(mutex_);
        auto it = map_.find(key);
        if (it == map_.end()) return nullptr;
        list_.splice(list_.begin(), list_, it->second);
        return it->second->second;
    }
    /// Returns the plan that is kept: another thread may have added one of the same structure, and
    /// what is measured about a plan is measured once.
    shared_plan add(uint64_t hash, shared_plan p) {
        const hashed_key key{p->key, hash};
        std::lock_guard lock(mutex_);
        if (const auto it = map_.find(key); it != map_.end()) return it->second->second;
        bytes_ += key.words.size_bytes();
        list_.emplace_front(key, std::move(p));
        map_.emplace(key, list_.begin());
        while (list_.size() > 1 && (list_.size() > max_plans || bytes_ > max_bytes)) {
            bytes_ -= list_.back().first.words.size_bytes();
            map_.erase(list_.back().first);
            list_.pop_back();
        }
        return list_.front().second;
    }

private:
    static constexpr std::size_t max_plans = 4096, max_bytes = std::size_t{64} << 20;
    using entry = std::pair<hashed_key, shared_plan>;  // the plan owns the words of the key
    std::mutex mutex_;                                 // threads share plans
    std::list<entry> list_;
    std::unordered_map<hashed_key, std::list<entry>::iterator, hash_of> map_;
    std::size_t bytes_ = 0;
};

plan_cache& cache() {
    static auto* c = new plan_cache;  // leaked: other threads may evaluate while the process exits
    return *c;
}

/// The plans that a thread ran recently: running one again needs no lock and no reference count.
struct recent_plans {
    static constexpr std::size_t count = 16;
    struct {
        uint64_t hash = 0;
        shared_plan p;
    } at[count];
};
// Plain and initial-exec for the reasons in magazine.hpp. Made when the thread first plans.
[[gnu::tls_model("initial-exec")]] constinit thread_local recent_plans* recent = nullptr;

/// Called after all C++ destructors of the thread, because those may compute values too.
void forget_recent(void* own) {
    recent = nullptr;
    delete static_cast<recent_plans*>(own);
}

recent_plans& make_recent() {
    static const struct key {
        pthread_key_t value{};
        bool made = pthread_key_create(&value, forget_recent) == 0;
    } of_thread;
    recent = new recent_plans;
    if (of_thread.made) pthread_setspecific(of_thread.value, recent);
    return *recent;
}

}  // namespace

namespace {

struct kept_plan {
    const shared_plan& p;
    bool replayed;
};

kept_plan find(const subgraph& w) {
    const plan_key words = structure_key(w);
    const hashed_key key{words, XXH3_64bits(words.data(), words.size_bytes())};
    auto& last = (recent ? *recent : make_recent()).at[key.hash % recent_plans::count];
    if (last.p && key == hashed_key{last.p->key, last.hash}) return {last.p, true};
    shared_plan p = cache().find(key);
    const bool replayed = p != nullptr;
    if (!p) {
        const std::shared_ptr<executable> made = make_executable(w);
        made->key.assign(words.begin(), words.end());
        p = cache().add(key.hash, made);
    }
    last.hash = key.hash;
    last.p = std::move(p);
    return {last.p, replayed};
}

}  // namespace

found_plan find_or_build(const subgraph& w) {
    const kept_plan found = find(w);
    return {found.p.get(), found.replayed};
}

std::shared_ptr<const executable> find_or_build_shared(const subgraph& w) { return find(w).p; }

}  // namespace sinter::plan
