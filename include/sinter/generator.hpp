// Generators: streams of random numbers. Their classes are in random_engines.hpp.
#pragma once

#include <sinter/config.hpp>
#include <sinter/core/intrusive_ptr.hpp>
#include <sinter/options.hpp>

#include <cstdint>
#include <mutex>
#include <optional>

namespace sinter::inline v1 {

class Tensor;
class tensor_base;
class GeneratorImpl;
/// Count references; for intrusive_ptr.
///@{
SINTER_API void retain(GeneratorImpl* g);
SINTER_API void release(GeneratorImpl* g);
///@}

/// The algorithm of a generator. `philox` is counted: a draw is a function of the seed and its
/// place in the stream, so that draws stay pending, fuse, and are equal on every device. `mt19937`
/// is PyTorch's stream on a CPU: drawn one by one, at the call.
enum class Rng : uint8_t { philox, mt19937 };

/// A stream of random numbers. A handle: copies share the stream, `clone` does not. Functions that
/// draw hold the mutex; other methods do not, so threads that share a generator lock it around
/// them. PyTorch: torch.Generator.
class SINTER_API Generator {
public:
    /// An undefined generator, or a handle of this one.
    ///@{
    Generator() = default;
    explicit Generator(intrusive_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}
    ///@}

    /// Returns true unless the handle is empty. Methods that use the stream throw Error if it is.
    bool defined() const { return static_cast<bool>(impl_); }
    /// Starts the stream of this seed. PyTorch: torch.Generator.manual_seed.
    void set_current_seed(uint64_t seed) const;
    /// Returns the seed of the stream. PyTorch: torch.Generator.initial_seed.
    uint64_t current_seed() const;
    /// Starts the stream of a seed that the system chooses, and returns that seed.
    uint64_t seed() const;
    /// Returns the mutex that functions hold while they draw.
    std::mutex& mutex() const;
    /// Returns the place in the stream, as a Byte tensor; for mt19937 the bytes that PyTorch
    /// writes.
    Tensor get_state() const;
    /// Moves to a place that get_state() returned. Throws Error unless the tensor is such a state.
    void set_state(const tensor_base& state) const;
    /// Returns a generator of its own at the same place.
    Generator clone() const;
    /// Returns the device, or the algorithm.
    ///@{
    Device device() const;
    Rng algorithm() const;
    ///@}

    /// Returns true if both are handles of one stream.
    friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }
    /// Returns the object, or null.
    GeneratorImpl* unsafeGetGeneratorImpl() const { return impl_.get(); }
    /// Returns the object as its class (random_engines.hpp), without a check.
    template <class T>
    T* get() const {
        return static_cast<T*>(impl_.get());
    }

private:
    GeneratorImpl& impl() const;  // throws Error if there is none
    intrusive_ptr<GeneratorImpl> impl_;
};

/// The generator of a draw; none, or an undefined one, is the default generator.
using optional_generator = std::optional<Generator>;

/// Sets or returns the algorithm of the default generator, for the process: philox unless
/// SINTER_RNG says mt19937. Each algorithm has a stream of its own, which continues where it was.
/// PyTorch: none.
///@{
SINTER_API void set_default_rng(Rng rng);
SINTER_API Rng get_default_rng();
///@}
/// Starts the default streams of both algorithms from this seed; without it they start from one
/// that the system chooses. PyTorch: torch.manual_seed.
SINTER_API void manual_seed(uint64_t seed);
/// Returns the seed of the default generator. PyTorch: torch.initial_seed.
SINTER_API uint64_t initial_seed();
/// Returns or sets the state of the default generator, a Byte tensor. PyTorch: torch.get_rng_state,
/// torch.set_rng_state.
///@{
SINTER_API Tensor get_rng_state();
SINTER_API void set_rng_state(const tensor_base& state);
///@}

namespace detail {
/// The default generator, and a new one of PyTorch's kind.
SINTER_API const Generator& getDefaultCPUGenerator();
SINTER_API Generator createCPUGenerator(uint64_t seed = 67280421310721);
}  // namespace detail

}  // namespace sinter::inline v1
