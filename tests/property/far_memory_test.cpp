// Elements beyond 2^31 and 2^32, and bytes beyond 2^33: a sparse mapping of 8 GiB of which a few
// pages are accessed. Results are compared with those of a dense copy, whose elements are compared
// with the memory one by one.
#include "tests/property/program.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>

namespace sinter::test {
namespace {

constexpr int64_t gib = int64_t{1} << 30;
constexpr int64_t mapped = 8 * gib + (1 << 20);

class mapping {
public:
    mapping() {
        void* at = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) {
            MESSAGE("[SKIP] no 8 GiB of address space, nothing is tested: ", std::strerror(errno));
            return;
        }
        madvise(at, mapped, MADV_NOHUGEPAGE);  // otherwise an accessed byte takes 2 MiB
        data_ = static_cast<char*>(at);
    }
    ~mapping() {
        if (data_) munmap(data_, mapped);
    }
    mapping(const mapping&) = delete;
    mapping& operator=(const mapping&) = delete;
    explicit operator bool() const { return data_ != nullptr; }
    char* data() const { return data_; }

    /// Returns all of it as elements of one dtype.
    Tensor whole(ScalarType dtype) const {
        return from_blob(data_, mapped / static_cast<int64_t>(elementSize(dtype)), dtype);
    }
    /// Returns the same with the promise of no writes: reads are lazy and fuse.
    Tensor constant(ScalarType dtype) const {
        return from_blob(static_cast<const void*>(data_),
                         mapped / static_cast<int64_t>(elementSize(dtype)), dtype);
    }

private:
    char* data_ = nullptr;
};

int64_t resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") {
            int64_t kib = 0;
            status >> kib;
            return kib << 10;
        }
    return 0;
}

#ifdef SINTER_SANITIZE_ADDRESS
// For sanitizers: freed memory waits in quarantine and has a shadow.
constexpr int64_t small = int64_t{2} << 30;
#else
constexpr int64_t small = int64_t{400} << 20;
#endif

/// Checks that the code between its construction and destruction takes little memory.
class stays_small {
public:
    ~stays_small() { CHECK(resident_bytes() - before_ < small); }

private:
    int64_t before_ = resident_bytes();
};

/// The layout of a view: sizes, strides and offset in elements.
struct place {
    const char* name;
    std::vector<int64_t> sizes, strides;
    int64_t offset;

    Tensor of(const Tensor& t) const { return t.as_strided(sizes, strides, offset); }
    int64_t numel() const {
        int64_t n = 1;
        for (const int64_t s : sizes) n *= s;
        return n;
    }
    /// Returns the address of the i-th element in row-major order.
    int64_t address(int64_t i) const {
        int64_t at = offset;
        for (std::size_t d = sizes.size(); d-- > 0; i /= sizes[d]) at += i % sizes[d] * strides[d];
        return at;
    }
};

/// Returns layouts within `n` elements of `size` bytes.
std::vector<place> places(int64_t size) {
    const int64_t n = mapped / size;
    return {
        {"run over 2^31 bytes", {5000}, {1}, (2 * gib) / size - 2500},
        {"run over 2^32 bytes", {5000}, {1}, (4 * gib) / size - 2500},
        {"run over 2^33 bytes", {5000}, {1}, (8 * gib) / size - 2500},
        {"inner stride", {1500}, {n / 1501}, 3},
        {"long inner stride", {7}, {n / 7 - 1}, 5},
        {"far rows", {9, 300}, {n / 10, 1}, 11},
        {"far columns", {300, 9}, {1, n / 10}, 11},
        {"far rows and columns", {30, 25}, {n / 31, n / 31 / 27}, 1},
        {"three dimensions", {5, 6, 40}, {n / 6, n / 6 / 7, 2}, n / 7},
        {"last elements", {64}, {3}, n - 200},
    };
}

/// Runs f in both modes, on one thread and on several.
template <class F>
void each_way(F f) {
    const int before = get_num_threads();
    for (const Mode mode : {Mode::lazy, Mode::eager})
        for (const int threads : {1, 3}) {
            const ModeGuard guard(mode);
            set_num_threads(threads);
            INFO((mode == Mode::lazy ? "lazy, " : "eager, "), threads, " threads");
            f();
        }
    set_num_threads(before);
}

template <class T>
T number(std::mt19937_64& random) {
    if constexpr (std::is_same_v<T, uint8_t>)
        return static_cast<uint8_t>(random());
    else
        return static_cast<T>(static_cast<float>(random() % 4001) / 64 - 31);
}

/// Returns expressions over a view, for comparison with those over a dense copy.
std::vector<Tensor> results(const Tensor& x) {
    const ScalarType wide = isFloatingType(x.dtype()) ? x.dtype() : kInt;
    std::vector<Tensor> r;
    r.push_back(x.clone());
    r.push_back(x.to(wide) * 3 - x + 1);
    r.push_back(where(x > 7, x, x / 2));
    r.push_back(x.flip({0}) + x);
    r.push_back(x.to(kDouble).sum());
    r.push_back((x * x + 1).sum());
    r.push_back(x.amax());
    r.push_back(x.argmin());
    for (int64_t d = 0; d < x.dim(); ++d) {
        r.push_back(x.sum({d}));
        r.push_back((x + 1).amin({d}));
        r.push_back(x.argmax(d));
        const Tensor e = exp(x.to(kFloat) - x.to(kFloat).amax({d}, true));
        r.push_back(e / e.sum({d}, true));
    }
    return r;
}

template <class T>
void check_dtype() {
    const mapping memory;
    if (!memory) return;
    const stays_small small;
    constexpr ScalarType dtype = scalar_type_v<T>;
    auto* elements = reinterpret_cast<T*>(memory.data());
    std::mt19937_64 random(seed());
    for (const place& p : places(sizeof(T))) {
        INFO(p.name);
        REQUIRE(p.address(p.numel() - 1) < mapped / static_cast<int64_t>(sizeof(T)));
        each_way([&] {
            for (int64_t i = 0; i < p.numel(); ++i) elements[p.address(i)] = number<T>(random);
            const Tensor dense = empty(p.sizes, dtype);
            auto* copy = dense.data_ptr<T>();
            for (int64_t i = 0; i < p.numel(); ++i) copy[i] = elements[p.address(i)];
            const std::vector<Tensor> expected = results(dense.clone());
            for (const bool constant : {false, true}) {
                INFO((constant ? "constant" : "mutable"));
                const Tensor x = p.of(constant ? memory.constant(dtype) : memory.whole(dtype));
                const std::vector<Tensor> found = results(x);
                for (std::size_t k = 0; k < expected.size(); ++k) {
                    CAPTURE(k);
                    CHECK(canonical_bytes(found[k]) == canonical_bytes(expected[k]));
                }
            }

            // The same writes through the view and to the copy.
            const Tensor x = p.of(memory.whole(dtype));
            for (const Tensor& t : {x, dense}) {
                t.add_(3);
                t.select(0, t.size(0) / 2).mul_(2);
                const Tensor next = t * 2 - 1;
                t.copy_(next);
                t.slice(0, 0, t.size(0), 2).fill_(9);
                const Tensor large = t.slice(0, 1) > 4;
                t.slice(0, 1).sub_(large.to(dtype));
            }
            bool same = true;
            for (int64_t i = 0; i < p.numel(); ++i) same &= elements[p.address(i)] == copy[i];
            CHECK(same);
            CHECK(canonical_bytes(x) == canonical_bytes(dense));
        });
    }
}

}  // namespace

TEST_CASE("far memory: bytes") { check_dtype<uint8_t>(); }
TEST_CASE("far memory: floats") { check_dtype<float>(); }
TEST_CASE("far memory: halves") { check_dtype<Half>(); }

TEST_CASE("far memory: single elements, and addresses handed out") {
    const mapping memory;
    if (!memory) return;
    const stays_small small;
    each_way([&] {
        const Tensor bytes = memory.whole(kByte), floats = memory.whole(kFloat);
        for (const int64_t at : {2 * gib - 1, 2 * gib, 4 * gib - 1, 4 * gib + 1, 8 * gib + 4096}) {
            CAPTURE(at);
            memory.data()[at] = 41;
            CHECK(bytes[at].item<uint8_t>() == 41);
            bytes[at].add_(1);
            CHECK(memory.data()[at] == 42);
            CHECK(bytes[at].data_ptr<uint8_t>() == reinterpret_cast<uint8_t*>(memory.data()) + at);
            CHECK(bytes.narrow(0, at, 9).storage_offset() == at);
        }
        floats[2 * gib + 9].fill_(1.5);
        CHECK(reinterpret_cast<float*>(memory.data())[2 * gib + 9] == 1.5f);
        CHECK((floats[2 * gib + 9] * 2).self().item<float>() == 3);
        CHECK_THROWS_AS(floats[mapped / 4], IndexError);
    });
}

TEST_CASE("far memory: views of one memory side by side") {
    const mapping memory;
    if (!memory) return;
    const stays_small small;
    std::mt19937_64 random(seed());
    auto* elements = reinterpret_cast<float*>(memory.data());
    each_way([&] {
        const Tensor all = memory.whole(kFloat);
        const int64_t stride = 1431655, n = 1499;
        const Tensor a = all.as_strided({n}, {stride}, 0), b = all.as_strided({n}, {stride}, 1);
        std::vector<float> from(n);
        for (int64_t i = 0; i < n; ++i)
            elements[i * stride + 1] = from[static_cast<std::size_t>(i)] = number<float>(random);
        a.copy_(b);
        a.add_(b, 2);
        bool same = true;
        for (int64_t i = 0; i < n; ++i)
            same &= elements[i * stride] ==
                    from[static_cast<std::size_t>(i)] + 2 * from[static_cast<std::size_t>(i)];
        CHECK(same);
        // An operand with gaps may overlap the target, and keeps the values of its line.
        const Tensor old = a.clone();
        a.slice(0, 1).copy_(a.slice(0, 0, -1));
        CHECK(equal(a.slice(0, 1), old.slice(0, 0, -1)));
        const float near = elements[gib], far = elements[2 * gib];
        all.as_strided({2}, {2 * gib}, 0).copy_(all.as_strided({2}, {gib}, gib));
        CHECK(elements[0] == near);
        CHECK(elements[2 * gib] == far);
        // Read one step further on, and written as a whole: the right side is a separate value.
        const Tensor before = a.clone();
        const Tensor value = a.slice(0, 0, -1) * 1;
        a.slice(0, 1).copy_(value);
        CHECK(equal(a.slice(0, 1), before.slice(0, 0, -1)));
    });
}

TEST_CASE("far memory: positions beyond 2^32 are values") {
    each_way([&] {
        const Tensor t = arange(4 * gib - 3, 4 * gib + 3);
        CHECK(t.sum().item<int64_t>() == 24 * gib - 3);
        CHECK((t + 4 * gib)[5].item<int64_t>() == 8 * gib + 2);
        const Tensor far = arange(-9 * gib, 9 * gib, gib);
        CHECK(far[17].item<int64_t>() == 8 * gib);
        CHECK(far.amin().item<int64_t>() == -9 * gib);
    });
}

TEST_CASE("far memory: products of matrices whose rows lie far apart") {
    const mapping memory;
    if (!memory) return;
    const stays_small small;
    manual_seed(seed());
    each_way([&] {
        for (const ScalarType dtype : {kFloat, kHalf, kInt}) {
            const int64_t n = mapped / static_cast<int64_t>(elementSize(dtype));
            CAPTURE(toString(dtype));
            const Tensor all = memory.whole(dtype);
            // Row strides larger than BLAS supports, and the largest that it supports.
            const Tensor a = all.as_strided({2, 24}, {n - 100, 1}, 7);
            const Tensor b = all.as_strided({24, 3}, {n / 25, n / 25 / 4}, 50);
            const Tensor v = all.as_strided({24}, {n / 25}, 99);
            for (const Tensor& t : {a, b, v}) t.copy_(randint(-5, 5, t.sizes(), kInt).eval());
            const Tensor x = a.clone(), y = b.clone(), w = v.clone();
            CHECK(equal(a.mm(b), x.mm(y)));
            CHECK(equal(b.t().mm(a.t()), y.t().mm(x.t())));
            CHECK(equal(a.mv(v), x.mv(w)));
            CHECK(equal(v.dot(v), w.dot(w)));
        }
    });
}

TEST_CASE("far memory: loops of more than 2^31 steps") {
    if (!long_run()) {
        MESSAGE("[SKIP] left to long runs (SINTER_TEST_LONG=1)");
        return;
    }
    each_way([&] {
        const int64_t n = 2 * gib + 77;
        CHECK(ones({1}, kByte).expand({n}).sum().item<int64_t>() == n);
        CHECK(ones({1, 3}, kByte).expand({n / 3, 3}).sum({0})[2].item<int64_t>() == n / 3);
    });
}

}  // namespace sinter::test
