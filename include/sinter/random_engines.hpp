// Engines of random bits, and the generators that are made of them.
#pragma once

#include <sinter/generator.hpp>
#include <sinter/tensor.hpp>

#include <array>
#include <atomic>
#include <optional>
#include <type_traits>
#include <utility>

namespace sinter::inline v1 {

inline constexpr uint64_t default_rng_seed_val = 67280421310721;

/// What the Mersenne twister is made of, as PyTorch writes it down.
struct mt19937_data_pod {
    uint64_t seed_ = 0;
    int left_ = 1;
    bool seeded_ = false;
    uint32_t next_ = 0;
    std::array<uint32_t, 624> state_{};
};

/// The Mersenne twister (Matsumoto, Nishimura 1998). Only the low 32 bits of a seed count.
class SINTER_API mt19937 {
public:
    explicit mt19937(uint64_t seed = 5489);
    uint32_t operator()();
    const mt19937_data_pod& data() const { return data_; }
    void set_data(const mt19937_data_pod& data) { data_ = data; }
    uint64_t seed() const { return data_.seed_; }
    bool is_valid() const;

private:
    void next_state();
    mt19937_data_pod data_;
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): block `offset` and on, of a subsequence.
class SINTER_API Philox4_32 {
public:
    explicit Philox4_32(uint64_t seed = default_rng_seed_val, uint64_t subsequence = 0,
                        uint64_t offset = 0);
    uint32_t operator()();
    /// Leaves out whole blocks of four words.
    void incr_n(uint64_t blocks);
    void incr() { incr_n(1); }
    void reset_state(uint64_t seed = default_rng_seed_val, uint64_t subsequence = 0);
    /// The next block.
    void set_offset(uint64_t offset);
    uint64_t get_offset() const { return counter_[0] | static_cast<uint64_t>(counter_[1]) << 32; }

private:
    std::array<uint32_t, 2> key_;
    std::array<uint32_t, 4> counter_, output_{};
    uint32_t used_ = 0;
};

class SINTER_API GeneratorImpl {
public:
    virtual ~GeneratorImpl();
    virtual void set_current_seed(uint64_t seed) = 0;
    virtual uint64_t current_seed() const = 0;
    uint64_t seed();
    virtual Tensor get_state() const = 0;
    virtual void set_state(const tensor_base& state) = 0;
    virtual Generator clone() const = 0;
    virtual Rng algorithm() const = 0;
    Device device() const { return kCPU; }
    GeneratorImpl(const GeneratorImpl&) = delete;
    GeneratorImpl& operator=(const GeneratorImpl&) = delete;

    std::mutex mutex_;

protected:
    GeneratorImpl() = default;

private:
    friend void retain(GeneratorImpl* g);
    friend void release(GeneratorImpl* g);
    detail::reference_count references_;
};

/// PyTorch's generator on a CPU.
class SINTER_API CPUGeneratorImpl final : public GeneratorImpl {
public:
    explicit CPUGeneratorImpl(uint64_t seed = default_rng_seed_val) : engine_(seed) {}
    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override { return engine_.seed(); }
    Tensor get_state() const override;
    void set_state(const tensor_base& state) override;
    Generator clone() const override;
    Rng algorithm() const override { return Rng::mt19937; }

    uint32_t random() { return engine_(); }
    /// Two words, the first on top.
    uint64_t random64();
    mt19937 engine() const { return engine_; }
    void set_engine(const mt19937& engine) { engine_ = engine; }
    /// Normal numbers are made in pairs: the second one of the last pair, while nobody took it.
    std::optional<float> next_float_normal_sample() const { return next_float_; }
    std::optional<double> next_double_normal_sample() const { return next_double_; }
    void set_next_float_normal_sample(std::optional<float> v) { next_float_ = v; }
    void set_next_double_normal_sample(std::optional<double> v) { next_double_ = v; }

private:
    mt19937 engine_;
    std::optional<float> next_float_;
    std::optional<double> next_double_;
};

/// Sinter's own: a seed, and how many elements have been drawn.
class SINTER_API PhiloxGeneratorImpl final : public GeneratorImpl {
public:
    explicit PhiloxGeneratorImpl(uint64_t seed = default_rng_seed_val) : seed_(seed) {}
    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override { return seed_; }
    Tensor get_state() const override;
    void set_state(const tensor_base& state) override;
    Generator clone() const override;
    Rng algorithm() const override { return Rng::philox; }

    uint64_t offset() const { return position_; }
    /// Takes the next `count` places of the stream; returns the first.
    uint64_t reserve(uint64_t count) { return std::exchange(position_, position_ + count); }

private:
    uint64_t seed_;
    uint64_t position_ = 0;
};

/// A generator of class T: `make_generator<CPUGeneratorImpl>(seed)`.
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

/// The object behind a generator, as class T. Throws where there is none, or one of another class.
template <class T>
T* check_generator(const optional_generator& generator) {
    T* const found = dynamic_cast<T*>(detail::generator_behind(generator));
    if (!found) detail::other_generator(std::is_same_v<T, CPUGeneratorImpl> ? "mt19937" : "philox");
    return found;
}
/// The same, of the second where the first is none.
template <class T>
T* get_generator_or_default(const optional_generator& generator, const Generator& otherwise) {
    return check_generator<T>(generator && generator->defined() ? *generator : otherwise);
}

}  // namespace sinter::inline v1
