// What a thread does while it records a function: the work that it adds to the graph, and the first
// thing that the graph does not show, such as a read of a value. engine/frames makes a recording of
// it.
#pragma once

#include <sinter/core/intrusive_ptr.hpp>
#include <sinter/expr/program.hpp>

#include "runtime/report/call_site.hpp"

#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace sinter::inline v1 {

class PhiloxGeneratorImpl;
struct Storage;
void retain(Storage* s);
void release(Storage* s);

struct watch {
    /// A write to all of a tensor that was there before.
    struct write {
        intrusive_ptr<Storage> to;
        intrusive_ptr<Version> before;
    };

    /// A draw of random numbers: the next node that is made reads `count` places of a stream.
    struct draw {
        std::shared_ptr<PhiloxGeneratorImpl> from;
        std::size_t node;  // its place in `made`
        uint64_t seed, first, count;
    };

    std::vector<intrusive_ptr<Version>> made;          // the results of nodes, in program order
    std::vector<intrusive_ptr<Version>> given;         // values that were ready at once
    std::unordered_set<const Version*> uninitialised;  // some of these: empty()
    std::unordered_set<const Storage*> storages;       // of tensors that were made meanwhile
    std::vector<write> writes;
    std::vector<draw> draws;
    std::string effect;           // the first thing that the graph does not show; empty: none
    runtime::call_site where;     // of the effect
    bool reads_external = false;  // reads memory that the outside may change

    void note(std::string what);
    bool has_made(const Version* v) const;
};

/// Of the calling thread; null if it records no function.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local watch* watching;

/// Says that the calling thread does something that the graph does not show.
inline void note_effect(const char* what) {
    if (watching) [[unlikely]]
        watching->note(what);
}

}  // namespace sinter::inline v1
