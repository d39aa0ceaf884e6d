// Tests that work on a GPU makes, whose outcome the host learns later: is every index in range, is
// a divisor zero? The work writes what it finds to words of device memory. The host reads them when
// it waits for a value that depends on the work, so that no line waits for its tests.
#pragma once

#include "runtime/device/buffer.hpp"
#include "runtime/device/stream.hpp"
#include "runtime/report/call_site.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinter::runtime {

class deferred_check {
public:
    /// Returns the error for words that are not all 0, or null if they are good. `from` ends the
    /// error's text: the line that asked for the work, if that is known.
    using outcome =
        std::function<std::exception_ptr(std::span<const uint64_t> words, const std::string& from)>;

    /// Takes words for the work that is put on `s` next. They hold 0.
    deferred_check(gpu_stream& s, std::size_t words);
    deferred_check(const deferred_check&) = delete;
    deferred_check& operator=(const deferred_check&) = delete;

    /// Returns the address of the words on the device.
    uint64_t* words() const;
    /// Called when the work that writes the words has been put on the stream.
    void put(outcome read);
    /// Sets the line for the error.
    void asked_by(const call_site& line) { line_ = std::make_unique<call_site>(line); }

private:
    friend std::exception_ptr first_error(std::span<const std::shared_ptr<deferred_check>> checks);
    enum class state : uint8_t { unknown, good, failed };

    /// Reads the words, once. `page`: a copy of the memory.
    void settle(const char* page);

    gpu_stream& stream_;
    buffer_ptr page_;
    std::size_t first_ = 0, count_;  // words in the page
    outcome read_;
    std::unique_ptr<const call_site> line_;
    std::exception_ptr error_;
    std::atomic<state> state_{state::unknown};
};

using deferred_checks = std::vector<std::shared_ptr<deferred_check>>;

/// Returns the error of the first check that failed, or null. Waits for the work of those whose
/// outcome is not known. Throws the device's errors.
std::exception_ptr first_error(std::span<const std::shared_ptr<deferred_check>> checks);

}  // namespace sinter::runtime
