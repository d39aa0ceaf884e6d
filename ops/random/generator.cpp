// Generators: engines, states, and the two default ones.
#include "engine/watch/watch.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/math/host.hpp>
#include <sinter/math/random.hpp>
#include <sinter/random_engines.hpp>

#include "runtime/base/environment.hpp"
#include "runtime/base/fork.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include <unistd.h>

namespace sinter::inline v1 {

using runtime::fail;
using runtime::text;

// ---- engines
namespace {
constexpr const char* moves_generator = "moves a generator to another place";
constexpr std::size_t twist_words = 624, twist_distance = 397;
}  // namespace

mt19937::mt19937(uint64_t seed) {
    data_.seed_ = seed;
    data_.seeded_ = true;
    auto& s = data_.state_;
    s[0] = static_cast<uint32_t>(seed);
    for (uint32_t i = 1; i < twist_words; ++i)
        s[i] = 1812433253U * (s[i - 1] ^ (s[i - 1] >> 30)) + i;
}

bool mt19937::is_valid() const {
    const auto n = static_cast<int>(twist_words);
    return data_.seeded_ && data_.left_ > 0 && data_.left_ <= n && data_.next_ <= twist_words;
}

void mt19937::next_state() {
    auto& s = data_.state_;
    for (std::size_t i = 0; i < twist_words; ++i) {
        const uint32_t joined = (s[i] & 0x80000000U) | (s[(i + 1) % twist_words] & 0x7FFFFFFFU);
        s[i] =
            s[(i + twist_distance) % twist_words] ^ (joined >> 1) ^ (joined & 1 ? 0x9908B0DFU : 0);
    }
    data_.left_ = static_cast<int>(twist_words);
    data_.next_ = 0;
}

uint32_t mt19937::operator()() {
    if (--data_.left_ == 0) next_state();
    uint32_t y = data_.state_[data_.next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680U;
    y ^= (y << 15) & 0xEFC60000U;
    return y ^ (y >> 18);
}

Philox4_32::Philox4_32(uint64_t seed, uint64_t subsequence, uint64_t offset) {
    reset_state(seed, subsequence);
    incr_n(offset);
}

void Philox4_32::reset_state(uint64_t seed, uint64_t subsequence) {
    key_ = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    counter_ = {0, 0, static_cast<uint32_t>(subsequence), static_cast<uint32_t>(subsequence >> 32)};
    used_ = 0;
}

void Philox4_32::set_offset(uint64_t offset) {
    counter_[0] = static_cast<uint32_t>(offset);
    counter_[1] = static_cast<uint32_t>(offset >> 32);
}

void Philox4_32::incr_n(uint64_t blocks) {
    uint64_t low = counter_[0] | static_cast<uint64_t>(counter_[1]) << 32;
    low += blocks;
    counter_[0] = static_cast<uint32_t>(low);
    counter_[1] = static_cast<uint32_t>(low >> 32);
    if (low < blocks && ++counter_[2] == 0) ++counter_[3];
}

uint32_t Philox4_32::operator()() {
    if (used_ == 0) {
        using W = math::host<int32_t>;
        const auto word = [](uint32_t x) { return W::from(static_cast<int32_t>(x)); };
        const auto w =
            math::detail::philox4x32(math::detail::words<W>{word(counter_[0]), word(counter_[1]),
                                                            word(counter_[2]), word(counter_[3])},
                                     word(key_[0]), word(key_[1]));
        const auto value = [](W x) { return static_cast<uint32_t>(x.v); };
        output_ = {value(w.w0), value(w.w1), value(w.w2), value(w.w3)};
        incr();
    }
    return output_[std::exchange(used_, (used_ + 1) % 4)];
}

// ---- generators
namespace {

/// Returns a seed of 53 bits, as in PyTorch.
uint64_t system_seed() {
    std::random_device device;
    const uint64_t high = device();
    return ((high << 32) + device()) & 0x1FFFFFFFFFFFFF;
}

/// Returns the bytes of a generator's state. Throws unless the tensor is a state of `size` bytes.
std::vector<char> state_bytes(const tensor_base& state, std::size_t size) {
    const TensorImpl& t = ops::body("set_state", state);
    if (t.dtype != kByte || !t.shape->contiguous)
        fail<TypeError>("set_state", "the tensor is not a generator state",
                        text(t.dtype, " with strides ", t.shape->strides_ref()),
                        "a contiguous Byte tensor", "the tensor that get_state() returned");
    if (static_cast<std::size_t>(t.shape->numel) != size)
        fail("set_state", "the state has the wrong size", text(t.shape->numel, " bytes"),
             text(size, " bytes for this class of generator"),
             "the state of a generator of the same class");
    const Tensor here = ops::on_host(state);
    const TensorImpl& h = *here.unsafeGetTensorImpl();
    const char* from = ops::values(h, flush_reason::value_read) + h.shape->offset;
    return {from, from + size};
}

Tensor state_tensor(const char* bytes, std::size_t size) {
    Tensor t(make_empty(kByte, make_contiguous(static_cast<int64_t>(size)), runtime::main_memory));
    std::memcpy(ops::fresh(*t.unsafeGetTensorImpl()), bytes, size);
    return t;
}

/// PyTorch's layout of a CPU generator's state.
struct twister_state {
    uint64_t seed = 0;
    int32_t left = 0, seeded = 0;
    uint64_t next = 0;
    uint64_t state[twist_words] = {};
    double normal_x = 0, normal_y = 0, normal_rho = 0;
    int32_t normal_is_valid = 0, unused = 0;
    float next_float = 0;
    uint8_t next_float_is_valid = 0, unused_end[3] = {};
};
static_assert(sizeof(twister_state) == 5056);

}  // namespace

// ---- all live generators, for forks
namespace {

struct live_generators {
    struct entry {
        GeneratorImpl* generator;
        bool held;  // locked by the fork
    };
    std::mutex mutex;
    std::vector<entry> list;
};
/// One per process; never freed, since generators may be destroyed after main.
live_generators& live() {
    static auto* const l = new live_generators;
    return *l;
}

/// A program may fork while it holds a generator's mutex. The child then holds it too.
bool is_own([[maybe_unused]] std::mutex& m) {
#ifdef __GLIBC__
    return m.native_handle()->__data.__owner == gettid();
#else
    return false;
#endif
}

void give_back(live_generators& l) {
    for (live_generators::entry& e : l.list)
        if (std::exchange(e.held, false)) e.generator->mutex_.unlock();
    l.mutex.unlock();
}

bool take_all(live_generators& l) {
    l.mutex.lock();
    for (live_generators::entry& e : l.list) {
        if (is_own(e.generator->mutex_)) continue;
        e.held = e.generator->mutex_.try_lock();
        if (e.held) continue;
        give_back(l);
        return false;
    }
    return true;
}

/// Programs lock these mutexes in any order. To avoid a deadlock, none is awaited while another is
/// held.
void take_all_at_fork() {
    while (!take_all(live())) std::this_thread::yield();
}

[[maybe_unused]] const runtime::at_fork generators_at_fork(
    (static_cast<void>(live()), runtime::fork_order::generators), take_all_at_fork,
    [] { give_back(live()); }, [] { give_back(live()); });

}  // namespace

void retain(GeneratorImpl* g) {
    if (g->references_.load() == 0) {  // the first reference
        note_effect("makes a generator");
        try {
            std::lock_guard lock(live().mutex);
            live().list.push_back({g, false});
        } catch (const std::bad_alloc&) {  // a fork then does not lock it
        }
    }
    g->references_.add();
}
void release(GeneratorImpl* g) {
    if (g->references_.drop()) delete g;
}

GeneratorImpl::~GeneratorImpl() {
    std::lock_guard lock(live().mutex);
    std::erase_if(live().list, [this](const auto& e) { return e.generator == this; });
}

uint64_t GeneratorImpl::seed() {
    const uint64_t s = system_seed();
    set_current_seed(s);
    return s;
}

void CPUGeneratorImpl::set_current_seed(uint64_t seed) {
    note_effect(moves_generator);
    engine_ = mt19937(seed);
    next_float_.reset();
    next_double_.reset();
}

uint64_t CPUGeneratorImpl::random64() {
    const uint64_t high = engine_();
    return high << 32 | engine_();
}

Tensor CPUGeneratorImpl::get_state() const {
    note_effect("reads the place of a generator");
    const mt19937_data_pod& engine = engine_.data();
    twister_state s;
    s.seed = engine.seed_;
    s.left = engine.left_;
    s.seeded = engine.seeded_;
    s.next = engine.next_;
    std::copy(engine.state_.begin(), engine.state_.end(), s.state);
    s.normal_is_valid = next_double_.has_value();
    s.normal_y = next_double_.value_or(0);
    s.next_float_is_valid = next_float_.has_value();
    s.next_float = next_float_.value_or(0);
    return state_tensor(reinterpret_cast<const char*>(&s), sizeof s);
}

void CPUGeneratorImpl::set_state(const tensor_base& state) {
    note_effect(moves_generator);
    twister_state s;
    std::memcpy(&s, state_bytes(state, sizeof s).data(), sizeof s);
    mt19937_data_pod data;
    data.seed_ = s.seed;
    data.left_ = s.left;
    data.seeded_ = s.seeded != 0;
    data.next_ = static_cast<uint32_t>(std::min<uint64_t>(s.next, UINT32_MAX));
    for (std::size_t i = 0; i < twist_words; ++i)
        data.state_[i] = static_cast<uint32_t>(s.state[i]);
    mt19937 engine;
    engine.set_data(data);
    if (!engine.is_valid())
        fail("set_state", "the bytes are not the state of a Mersenne Twister",
             text(s.left, " words left from word ", s.next),
             "1 to 624 words left, from word 624 or before",
             "the tensor that get_state() returned");
    engine_ = engine;
    next_float_ = s.next_float_is_valid ? std::optional(s.next_float) : std::nullopt;
    next_double_ = s.normal_is_valid ? std::optional(s.normal_y) : std::nullopt;
}

Generator CPUGeneratorImpl::clone() const {
    Generator copy = make_generator<CPUGeneratorImpl>();
    auto& to = *copy.get<CPUGeneratorImpl>();
    to.engine_ = engine_;
    to.next_float_ = next_float_;
    to.next_double_ = next_double_;
    return copy;
}

void PhiloxGeneratorImpl::set_current_seed(uint64_t seed) {
    note_effect(moves_generator);
    seed_ = seed;
    position_ = 0;
}

Tensor PhiloxGeneratorImpl::get_state() const {
    note_effect("reads the place of a generator");
    const uint64_t s[2] = {seed_, position_};
    return state_tensor(reinterpret_cast<const char*>(s), sizeof s);
}

void PhiloxGeneratorImpl::set_state(const tensor_base& state) {
    note_effect(moves_generator);
    uint64_t s[2];
    std::memcpy(s, state_bytes(state, sizeof s).data(), sizeof s);
    seed_ = s[0];
    position_ = s[1];
}

Generator PhiloxGeneratorImpl::clone() const {
    Generator copy = make_generator<PhiloxGeneratorImpl>(seed_);
    copy.get<PhiloxGeneratorImpl>()->position_ = position_;
    return copy;
}

// ---- handles
GeneratorImpl& Generator::impl() const {
    if (!impl_)
        fail("Generator", "the generator is undefined", "a default-constructed Generator",
             "a defined generator", "make_generator<CPUGeneratorImpl>(seed)");
    return *impl_;
}

void Generator::set_current_seed(uint64_t seed) const { impl().set_current_seed(seed); }
uint64_t Generator::current_seed() const {
    note_effect("reads the seed of a generator");
    return impl().current_seed();
}
uint64_t Generator::seed() const { return impl().seed(); }
std::mutex& Generator::mutex() const { return impl().mutex_; }
Tensor Generator::get_state() const { return impl().get_state(); }
void Generator::set_state(const tensor_base& state) const { impl().set_state(state); }
Generator Generator::clone() const { return impl().clone(); }
Device Generator::device() const { return impl().device(); }
Rng Generator::algorithm() const { return impl().algorithm(); }

GeneratorImpl* detail::generator_behind(const optional_generator& generator) {
    if (!generator)
        fail("check_generator", "Expected Generator but received nullopt", "nullopt", "a generator",
             "make_generator<CPUGeneratorImpl>(seed)");
    if (!generator->defined())
        fail("check_generator", "Generator with undefined implementation is not allowed",
             "a default-constructed Generator", "a defined generator",
             "make_generator<CPUGeneratorImpl>(seed)");
    return generator->unsafeGetGeneratorImpl();
}

void detail::other_generator(const char* wanted) {
    fail("check_generator", "the generator has the wrong algorithm",
         "a generator of another algorithm", wanted,
         std::string_view(wanted) == "mt19937" ? "make_generator<CPUGeneratorImpl>(seed)"
                                               : "make_generator<PhiloxGeneratorImpl>(seed)");
}

// ---- default generators
namespace {

Rng first_rng() {
    return runtime::environment().rng == runtime::rng_choice::mt19937 ? Rng::mt19937 : Rng::philox;
}

struct defaults {
    Generator philox = make_generator<PhiloxGeneratorImpl>(system_seed());
    Generator twister = make_generator<CPUGeneratorImpl>(system_seed());
};

/// Never freed: tensors may be drawn while the process ends.
defaults& all() {
    static auto* const d = new defaults;
    return *d;
}
[[maybe_unused]] const defaults& made_at_load = all();

constexpr int unknown = -1;
std::atomic<int> default_rng{unknown};

}  // namespace

void set_default_rng(Rng rng) { default_rng = static_cast<int>(rng); }
Rng get_default_rng() {
    int rng = default_rng.load();
    if (rng == unknown) {  // the first caller reads the environment
        const int first = static_cast<int>(first_rng());
        if (default_rng.compare_exchange_strong(rng, first)) rng = first;
    }
    return static_cast<Rng>(rng);
}

void manual_seed(uint64_t seed) {
    for (const Generator& g : {all().philox, all().twister}) {
        std::lock_guard lock(g.mutex());
        g.set_current_seed(seed);
    }
}

uint64_t initial_seed() {
    const Generator& g = detail::getDefaultCPUGenerator();
    std::lock_guard lock(g.mutex());
    return g.current_seed();
}

Tensor get_rng_state() {
    const Generator& g = detail::getDefaultCPUGenerator();
    std::lock_guard lock(g.mutex());
    return g.get_state();
}

void set_rng_state(const tensor_base& state) {
    const Generator& g = detail::getDefaultCPUGenerator();
    ops::body("set_rng_state", state);
    const Tensor known = state.self().eval();  // before the lock: it may be a pending draw
    std::lock_guard lock(g.mutex());
    g.set_state(known);
}

namespace detail {

const Generator& getDefaultCPUGenerator() {
    return get_default_rng() == Rng::philox ? all().philox : all().twister;
}

Generator createCPUGenerator(uint64_t seed) { return make_generator<CPUGeneratorImpl>(seed); }

}  // namespace detail

}  // namespace sinter::inline v1
