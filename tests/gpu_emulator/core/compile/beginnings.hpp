// Common beginnings of texts, each parsed once for all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gpu_emulator {

/// Returns the length of the common beginning of two texts that ends where a declaration ends: at
/// the end of a line outside of all brackets and conditions.
std::size_t common_beginning(std::string_view a, std::string_view b);

struct beginning {
    std::string text;
    std::string parsed;  // empty: it cannot be parsed alone
};

/// The beginnings of texts that are compiled with the same options. Threads may share it.
class beginnings {
public:
    using parser = std::function<std::string(const std::string& text)>;

    /// Returns the longest known beginning of `text`. Parses a new one if the previous text began
    /// with it, too.
    std::shared_ptr<const beginning> of(const std::string& text, const parser& parse);

private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<const beginning>> known_;
    std::string last_;
};

}  // namespace gpu_emulator
