// The plan of several values at once, as text, and whether one has run.
#pragma once

#include "engine/run/lower.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace sinter::test {

inline std::string plan_of(std::initializer_list<Tensor> values) {
    std::vector<Version*> targets;
    for (const Tensor& t : values)
        targets.push_back(t.unsafeGetTensorImpl()->storage->current.get());
    return describe(targets);
}

inline bool pending(const Tensor& t) {
    return t.unsafeGetTensorImpl()->storage->current->state == version_state::pending;
}

}  // namespace sinter::test
