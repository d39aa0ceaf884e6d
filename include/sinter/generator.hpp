// A stream of random numbers, as an object. The classes behind it are in random_engines.hpp.
#pragma once

#include <sinter/config.hpp>
#include <sinter/intrusive_ptr.hpp>
#include <sinter/options.hpp>

#include <cstdint>
#include <mutex>
#include <optional>

namespace sinter::inline v1 {

class Tensor;
class tensor_base;
class GeneratorImpl;
SINTER_API void retain(GeneratorImpl* g);
SINTER_API void release(GeneratorImpl* g);

/// How a generator makes numbers. `philox` is counted: a draw is a function of the seed and its
/// place in the stream, so draws stay pending, fuse, and are equal on every device. `mt19937` is
/// PyTorch's stream on a CPU: drawn one by one, where the line stands.
enum class Rng : uint8_t { philox, mt19937 };

/// A handle: copies share the stream, `clone` does not. Functions that draw hold the mutex; the
/// other methods do not, and whoever shares a generator between threads locks it around them.
class SINTER_API Generator {
public:
    Generator() = default;
    explicit Generator(intrusive_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}

    bool defined() const { return static_cast<bool>(impl_); }
    /// Starts the stream of this seed.
    void set_current_seed(uint64_t seed) const;
    uint64_t current_seed() const;
    /// Starts the stream of a seed that the system chooses; returns it.
    uint64_t seed() const;
    std::mutex& mutex() const;
    /// The place in the stream, as a Byte tensor: for mt19937 the bytes that PyTorch writes.
    Tensor get_state() const;
    /// Throws where the tensor is no state of such a generator.
    void set_state(const tensor_base& state) const;
    Generator clone() const;
    Device device() const;
    Rng algorithm() const;

    /// The same stream, not the same place in one.
    friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }
    GeneratorImpl* unsafeGetGeneratorImpl() const { return impl_.get(); }
    /// As the class that it is made of.
    template <class T>
    T* get() const {
        return static_cast<T*>(impl_.get());
    }

private:
    GeneratorImpl& impl() const;  // throws where there is none
    intrusive_ptr<GeneratorImpl> impl_;
};

/// What draws take: none, or an undefined one, is the default generator.
using optional_generator = std::optional<Generator>;

/// The algorithm of the default generator, for the process; philox unless SINTER_RNG says mt19937.
/// Each algorithm has a stream of its own, which goes on where it was.
SINTER_API void set_default_rng(Rng rng);
SINTER_API Rng get_default_rng();
/// Starts the default streams of both algorithms from this seed; before that they start from one
/// that the system chooses.
SINTER_API void manual_seed(uint64_t seed);
/// Of the default generator.
SINTER_API uint64_t initial_seed();
SINTER_API Tensor get_rng_state();
SINTER_API void set_rng_state(const tensor_base& state);

namespace detail {
/// The default generator, and a new one of PyTorch's kind.
SINTER_API const Generator& getDefaultCPUGenerator();
SINTER_API Generator createCPUGenerator(uint64_t seed = 67280421310721);
}  // namespace detail

}  // namespace sinter::inline v1
