// Engines of random bits, and the generators made of them.
#pragma once

#include <sinter/generator.hpp>
#include <sinter/tensor.hpp>

#include <array>
#include <atomic>
#include <optional>
#include <type_traits>
#include <utility>

namespace sinter::inline v1 {

/// The seed of generators and engines that are made without one, PyTorch's.
inline constexpr uint64_t default_rng_seed_val = 67280421310721;

/// The state of the Mersenne twister, in PyTorch's layout.
struct mt19937_data_pod {
    /// The seed; how many words are left; whether it was seeded; the next word's index; the words.
    ///@{
    uint64_t seed_ = 0;
    int left_ = 1;
    bool seeded_ = false;
    uint32_t next_ = 0;
    std::array<uint32_t, 624> state_{};
    ///@}
};

/// The Mersenne twister (Matsumoto, Nishimura 1998). Only the low 32 bits of a seed count.
class SINTER_API mt19937 {
public:
    /// Starts the stream of this seed.
    explicit mt19937(uint64_t seed = 5489);
    /// Returns the next 32 bits.
    uint32_t operator()();
    /// Returns or replaces the state.
    ///@{
    const mt19937_data_pod& data() const { return data_; }
    void set_data(const mt19937_data_pod& data) { data_ = data; }
    ///@}
    /// Returns the seed.
    uint64_t seed() const { return data_.seed_; }
    /// Returns true if the state is a place in a Mersenne twister's stream.
    bool is_valid() const;

private:
    void next_state();
    mt19937_data_pod data_;
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): a subsequence of the seed's stream, from block
/// `offset` on. A block has four words.
class SINTER_API Philox4_32 {
public:
    /// Starts at block `offset`.
    explicit Philox4_32(uint64_t seed = default_rng_seed_val, uint64_t subsequence = 0,
                        uint64_t offset = 0);
    /// Returns the next 32 bits.
    uint32_t operator()();
    /// Skips whole blocks: `blocks` of them, or one.
    ///@{
    void incr_n(uint64_t blocks);
    void incr() { incr_n(1); }
    ///@}
    /// Starts a subsequence of a seed.
    void reset_state(uint64_t seed = default_rng_seed_val, uint64_t subsequence = 0);
    /// Sets or returns the number of the next block.
    ///@{
    void set_offset(uint64_t offset);
    uint64_t get_offset() const { return counter_[0] | static_cast<uint64_t>(counter_[1]) << 32; }
    ///@}

private:
    std::array<uint32_t, 2> key_;
    std::array<uint32_t, 4> counter_, output_{};
    uint32_t used_ = 0;
};

/// The stream that handles of class Generator share; Generator's methods say what each method does.
class SINTER_API GeneratorImpl {
public:
    /// Ends the stream; the last handle does it.
    virtual ~GeneratorImpl();
    /// As the method of this name of Generator. set_state throws TypeError unless the state is a
    /// contiguous Byte tensor, and Error unless its bytes are a state of this kind.
    ///@{
    virtual void set_current_seed(uint64_t seed) = 0;
    virtual uint64_t current_seed() const = 0;
    uint64_t seed();
    virtual Tensor get_state() const = 0;
    virtual void set_state(const tensor_base& state) = 0;
    virtual Generator clone() const = 0;
    virtual Rng algorithm() const = 0;
    Device device() const { return kCPU; }
    ///@}
    /// Not copied: use clone().
    ///@{
    GeneratorImpl(const GeneratorImpl&) = delete;
    GeneratorImpl& operator=(const GeneratorImpl&) = delete;
    ///@}

    /// Held by functions that draw; lock it to share the stream between threads.
    std::mutex mutex_;

protected:
    /// For the classes derived from it.
    GeneratorImpl() = default;

private:
    friend void retain(GeneratorImpl* g);
    friend void release(GeneratorImpl* g);
    detail::reference_count references_;
};

/// PyTorch's generator on a CPU, a Mersenne twister.
class SINTER_API CPUGeneratorImpl final : public GeneratorImpl {
public:
    /// Starts the stream of this seed.
    explicit CPUGeneratorImpl(uint64_t seed = default_rng_seed_val) : engine_(seed) {}
    /// As GeneratorImpl; the state has the bytes that PyTorch writes.
    ///@{
    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override { return engine_.seed(); }
    Tensor get_state() const override;
    void set_state(const tensor_base& state) override;
    Generator clone() const override;
    Rng algorithm() const override { return Rng::mt19937; }
    ///@}

    /// Returns the next 32 bits.
    uint32_t random() { return engine_(); }
    /// Returns the next 64 bits: two words, the first in the upper half.
    uint64_t random64();
    /// Returns or replaces the engine.
    ///@{
    mt19937 engine() const { return engine_; }
    void set_engine(const mt19937& engine) { engine_ = engine; }
    ///@}
    /// Returns or sets the second number of the last pair of normal numbers, if it was not taken
    /// yet.
    ///@{
    std::optional<float> next_float_normal_sample() const { return next_float_; }
    std::optional<double> next_double_normal_sample() const { return next_double_; }
    void set_next_float_normal_sample(std::optional<float> v) { next_float_ = v; }
    void set_next_double_normal_sample(std::optional<double> v) { next_double_ = v; }
    ///@}

private:
    mt19937 engine_;
    std::optional<float> next_float_;
    std::optional<double> next_double_;
};

/// Sinter's default generator, counted: a seed, and how many elements have been drawn.
class SINTER_API PhiloxGeneratorImpl final : public GeneratorImpl {
public:
    /// Starts the stream of this seed.
    explicit PhiloxGeneratorImpl(uint64_t seed = default_rng_seed_val) : seed_(seed) {}
    /// As GeneratorImpl.
    ///@{
    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override { return seed_; }
    Tensor get_state() const override;
    void set_state(const tensor_base& state) override;
    Generator clone() const override;
    Rng algorithm() const override { return Rng::philox; }
    ///@}

    /// Returns the number of elements drawn so far.
    uint64_t offset() const { return position_; }
    /// Takes the next `count` places of the stream; returns the first.
    uint64_t reserve(uint64_t count) { return std::exchange(position_, position_ + count); }
    /// Gives `count` places of this seed's stream from `first` on back, if they were the last ones
    /// taken.
    void give_back(uint64_t seed, uint64_t first, uint64_t count) {
        if (seed == seed_ && position_ == first + count) position_ = first;
    }

private:
    uint64_t seed_;
    uint64_t position_ = 0;
};

/// Returns a new generator of class T: `make_generator<CPUGeneratorImpl>(seed)`.
template <class T, class... Args>
Generator make_generator(Args&&... args) {
    return Generator(intrusive_ptr<GeneratorImpl>(
        static_cast<GeneratorImpl*>(new T(std::forward<Args>(args)...))));
}

namespace detail {
/// What stands behind a generator; throws where there is none.
SINTER_API GeneratorImpl* generator_behind(const optional_generator& generator);
[[noreturn]] SINTER_API void other_generator(const char* wanted);
}  // namespace detail

/// Returns the object of class T that the generator holds. Throws Error if there is none, or one of
/// another class.
template <class T>
T* check_generator(const optional_generator& generator) {
    T* const found = dynamic_cast<T*>(detail::generator_behind(generator));
    if (!found) detail::other_generator(std::is_same_v<T, CPUGeneratorImpl> ? "mt19937" : "philox");
    return found;
}
/// As check_generator, of `otherwise` if there is no generator.
template <class T>
T* get_generator_or_default(const optional_generator& generator, const Generator& otherwise) {
    return check_generator<T>(generator && generator->defined() ? *generator : otherwise);
}

}  // namespace sinter::inline v1
