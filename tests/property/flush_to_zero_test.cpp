// Whole programs on a thread that flushes subnormals to zero. They must see the same bits as on any
// other thread, on the calling thread and on workers, and must not change the thread's control
// register.
#if defined(__x86_64__)
#include "tests/property/flush_to_zero.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <sstream>
#include <thread>

namespace sinter::test {

TEST_CASE("flush to zero: pointwise expressions") {
    check_same(each_dtype(66000, [](record& see, const std::string& type, const Tensor& x) {
        const Tensor y = x.flip({0});
        see(type + " input", x);
        see(type + " chain", (x * 0.5 + y) - x / 3);
        see(type + " compare", (x > 0) & (y != 0));
        see(type + " where", where(x.abs() < y, x, -y));
        see(type + " roots", sqrt(x.abs()) + log(y.abs()));
        see(type + " exp", exp(x * 30 - 87) + exp(x * 700 - 700));
        see(type + " trig", sin(x) * tanh(y) + atan(x));
        see(type + " bounds", maximum(x, y) - minimum(x, y));
        see(type + " pow", x.abs().pow(1.5) + x.pow(2));
        see(type + " strided", (x.slice(0, 0, 66000, 7) * 0.25).sign());
    }));
}

TEST_CASE("flush to zero: numbers from the program") {
    const volatile float tiny = std::numeric_limits<float>::denorm_min() * 9;
    const volatile double deep = 5e-324, below = 1e-40;  // subnormal in double; in float
    check_same([&](record& see) {
        float t;  // loads and stores do not flush
        double d, b;
        std::memcpy(&t, const_cast<const float*>(&tiny), sizeof t);
        std::memcpy(&d, const_cast<const double*>(&deep), sizeof d);
        std::memcpy(&b, const_cast<const double*>(&below), sizeof b);
        const Tensor f = tensor(floats<float>(50)), g = tensor(floats<double>(50), kDouble);
        see("float beside Float", f + t);
        see("double beside Float", f * 0 + b);
        see("float beside Double", g * 0 + t);
        see("double beside Double", g * 0 + d);
        see("method", f.add(f, t));
        see("full", full({5}, t));
        see("full Double", full({5}, d, kDouble));
        see("full_like", full_like(f, b));
        see("scalar_tensor", scalar_tensor(t));
        see("list", tensor({t, -t, 1.0f}));
        see("list of doubles", tensor({b, d, -b}, kFloat));
        see("vector", tensor(std::vector<double>{d, b}, kDouble));
        see("where", where(f > 0, t, -t));
        see("clamp", clamp(f, -b, b));
        see("power", (g * 0).pow(d));
        see("complex power", g.pow(complex<double>(2, d)));
        Tensor w = zeros({8}), v = zeros({8}, kDouble);
        w.fill_(t);
        see("fill_", w);
        w.slice(0, 2, 4) += b;
        see("through a view", w);
        v.index_put_({Slice(1, 3)}, d);
        see("index_put_", v);
        w = full({1}, t);
        v = full({1}, d, kDouble);
        see("item<float>", w.item<float>());
        see("item<double> of Float", w.item<double>());
        see("item<double>", v.item<double>());
        see("item<float> of Double", full({1}, b, kDouble).item<float>());
        see("item<Half>", static_cast<int>(tensor(floats<Half>(1, true), kHalf).item<Half>().bits));
        see("item", w.item().toFloat());
        see("is_nonzero", w.is_nonzero());
        see("is_nonzero of Double", v.is_nonzero());
        see("item<bool>", v.to(kBool).item<bool>());
        see("Scalar::toBool", Scalar(d).toBool());
        see("Scalar::toBool of a complex number", Scalar(complex<double>(0, d)).toBool());
        see("equal", equal(w, w * 0));
        see("allclose", allclose(v, v * 0, 0, 0));
        see("close", allclose(v, v * 0, 0, d));
    });
}

TEST_CASE("flush to zero: ranges and draws") {
    const volatile double deep = 1e-310, below = 1e-40;
    check_same([&](record& see) {
        double d, b, end;
        std::memcpy(&d, const_cast<const double*>(&deep), sizeof d);
        std::memcpy(&b, const_cast<const double*>(&below), sizeof b);
        {
            const control exact(default_control);
            end = deep * 7;
        }
        see("arange of subnormals", arange(0.0, end, d, kDouble));
        see("arange", arange(0.0, 1e-38, b, kFloat));
        see("linspace of subnormals", linspace(0.0, end, 8, kDouble));
        see("linspace", linspace(-1e-38, 1e-38, 9));
        manual_seed(seed());
        for (const ScalarType type : {kHalf, kFloat, kDouble}) {
            see("rand", rand({3000}, type) * 1e-3);
            see("randn", randn({3000}, type) * 1e-4);
        }
    });
}

TEST_CASE("flush to zero: reductions") {
    for (const std::size_t n : {60u, 9000u, 300000u}) {
        check_same(each_dtype(n, [](record& see, const std::string& type, const Tensor& x) {
            const Tensor m = x.view({x.numel() / 60, 60});
            for (const bool tiny : {false, true}) {
                const Tensor v = tiny ? Tensor(m * 0x1p-14) : m;
                const std::string name = type + (tiny ? " tiny " : " ");
                see(name + "sum", v.sum());
                see(name + "sum of rows", v.sum({1}));
                see(name + "sum of columns", v.sum({0}));
                see(name + "mean", v.mean({1}));
                see(name + "var", v.var(0));
                see(name + "std", v.std());
                see(name + "prod", v.prod(1));
                see(name + "amax", v.abs().amin({0}));
                see(name + "argmin", v.abs().argmin());
                see(name + "any", v.any(1));
                see(name + "all", v.all());
            }
        }));
    }
}

TEST_CASE("flush to zero: softmax and layer norm") {
    check_same(each_dtype(64 * 1000, [](record& see, const std::string& type, const Tensor& x) {
        const Tensor rows = (x * 20).view({64, 1000});
        Tensor e = exp(rows - rows.amax({1}, true) - 10);
        see(type + " softmax", e / e.sum({1}, true));
        see(type + " sums", e.sum({1}));
        const Tensor mean = rows.mean({1}, true), centred = rows - mean;
        see(type + " norm", centred * rsqrt((centred * centred).mean({1}, true) + 1e-5));
        Tensor one = (x * 20).slice(0, 0, 50000);  // one row, which threads share
        Tensor f = exp(one - one.max() - 10);
        see(type + " of one row", f / f.sum());
    }));
}

TEST_CASE("flush to zero: casts") {
    check_same(each_dtype(70000, [](record& see, const std::string& type, const Tensor& x) {
        for (const ScalarType to : {kHalf, kFloat, kDouble, kInt, kLong, kByte, kBool}) {
            see(type + " to " + toString(to), x.to(to));
            see(type + " there and back", (x.to(to).to(kDouble) * 0.5).to(x.dtype()));
        }
        Tensor half = zeros({70000}, kHalf), wide = zeros({70000}, kDouble);
        see(type + " copied to Half", half.copy_(x));
        see(type + " copied to Double", wide.copy_(x));
        see(type + " scaled into Half", (x.to(kFloat) * 1e-3).to(kHalf));
        see(type + " scaled into Float", (x.to(kDouble) * 1e-30).to(kFloat));
    }));
}

TEST_CASE("flush to zero: in place, through views and into memory of the caller's") {
    check_same([](record& see) {
        std::vector<float> own = floats<float>(40000);
        Tensor x = from_blob(own.data(), {200, 200}), copy = x.clone();
        x *= 0.5;
        x.t().add_(copy, 0.25);
        x.slice(1, 0, 200, 3) -= copy.slice(1, 0, 200, 3);
        see("blob", x);
        Tensor y = copy + 1e-40;
        Tensor before = y * 2;
        y.select(0, 3).mul_(1e-3);
        auto named = y - copy;
        named += 1e-41;
        see("written", y);
        see("read before", before);
        see("named", named);
    });
}

TEST_CASE("flush to zero: products and systems") {
    check_same([](record& see) {
        for (const ScalarType type : {kFloat, kDouble, kHalf}) {
            const std::string name = toString(type);
            const double small = type == kDouble ? 1e-160 : type == kFloat ? 1e-22 : 1e-4;
            for (const int64_t n : {5, 37, 150}) {
                const Tensor a =
                    tensor(floats<float>(static_cast<std::size_t>(n * n))).view({n, n}).to(type);
                const Tensor tiny = (a + 1.5) * small;
                see(name + " mm", tiny.mm(tiny));
                see(name + " mm with subnormals", a.mm(a.t()));
                see(name + " mv", tiny.mv(tiny[0]));
                see(name + " dot", tiny[0].dot(tiny[1]));
                see(name + " bmm", tiny.view({1, n, n}).bmm(tiny.view({1, n, n})));
                see(name + " epilogue", tiny.mm(tiny) * 0.5 + 1);
            }
        }
    });
}

TEST_CASE("flush to zero: systems") {
    check_same([](record& see) {
        for (const ScalarType type : {kFloat, kDouble}) {
            const double small = type == kDouble ? 1e-160 : 1e-21;
            // Above 256 rows, LAPACK runs on several threads.
            for (const int64_t n : {6, 40, 300}) {
                // Elimination fills the zeros with products of two small numbers.
                const Tensor a = eye(n, type);
                a.slice(0, 1).select(1, 0).fill_(small);
                a.slice(1, 1).select(0, 0).fill_(small);
                const Tensor b = zeros({n, 3}, type);
                b[n - 1].fill_(1 / small);
                see(std::string(toString(type)) + " " + std::to_string(n), linalg_solve(a, b));
            }
        }
    });
}

TEST_CASE("flush to zero: printing") {
    check_same([](record& see) {
        const auto print = [&](const std::string& what, const Tensor& t) {
            std::ostringstream out;
            out << t;
            see(what, out.str());
        };
        print("Float", tensor(floats<float>(6, true)));
        print("Double", tensor(floats<double>(6, true), kDouble));
        print("mixed Double", tensor(floats<double>(30), kDouble));
        print("Half", tensor(floats<Half>(6, true), kHalf));
        print("one", tensor(floats<double>(1, true), kDouble).view({}));
    });
}

TEST_CASE("flush to zero: errors leave the control register alone") {
    const auto thrown = [](const std::function<void()>& f) {
        try {
            f();
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string("nothing was thrown");
    };
    check_same([&](record& see) {
        const unsigned csr = _mm_getcsr() & ~flags;
        const Tensor zero = zeros({50000}, kInt), one = ones({50000}, kInt);
        see("division", thrown([&] { (one % zero).self().eval(); }));
        CHECK((_mm_getcsr() & ~flags) == csr);
        Tensor target = ones({50000}, kInt);
        see("division in place", thrown([&] { target.remainder_(zero), target.eval(); }));
        CHECK((_mm_getcsr() & ~flags) == csr);
        see("shapes", thrown([&] { (zeros({2}) + zeros({3})).self(); }));
        see("a number that does not fit", thrown([&] { full({2}, 300, kByte); }));
        see("a number below zero", thrown([&] { full({2}, -5e-324, kByte); }));
        see("an imaginary part", thrown([&] { Scalar(complex<double>(1, 5e-324)).toDouble(); }));
        see("an empty range", thrown([&] { arange(0.0, 1.0, 0.0); }));
        see("a singular system", thrown([&] { linalg_solve(zeros({300, 300}), ones({300, 1})); }));
        CHECK((_mm_getcsr() & ~flags) == csr);
    });
}

TEST_CASE("flush to zero: threads that evaluate side by side") {
    const auto program = [](record& see) {
        const Tensor x = tensor(floats<float>(70000));
        see("chain", (x * 0.5).to(kHalf).to(kFloat) + 1e-40);
        see("sum", (x * 0x1p-10).sum());
    };
    bool kept = false;
    const record usual = run(program, default_control, &kept);
    record flushed[6];
    bool left[6] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&, i] { flushed[i] = run(program, flushing, &left[i]); });
    for (std::thread& t : threads) t.join();
    for (int i = 0; i < 6; ++i) {
        CHECK(flushed[i].difference(usual) == "");
        CHECK(left[i]);
    }
}

TEST_CASE("flush to zero: random programs") {
    const int before = get_num_threads();
    for (int i = 0; i < cases(2); ++i) {
        const uint64_t one = chooser(seed() + 1000 + static_cast<uint64_t>(i)).bits() >> 32;
        INFO("program ", one);
        const program p = random_program(one, 200);
        for (const Mode mode : {Mode::lazy, Mode::eager}) {
            const ModeGuard guard(mode);
            for (const int threads : {1, 3}) {
                set_num_threads(threads);
                const auto log = [&](unsigned csr) {
                    const control scope(csr);
                    machine m(nullptr, nullptr);
                    m.run(p);
                    CHECK((_mm_getcsr() & ~flags) == csr);
                    return m.log();
                };
                const std::vector<seen> flushed = log(flushing), usual = log(default_control);
                REQUIRE(flushed.size() == usual.size());
                REQUIRE(!usual.empty());
                for (std::size_t k = 0; k < usual.size(); ++k) {
                    INFO("statement ", usual[k].statement, ": ", usual[k].what);
                    REQUIRE(flushed[k] == usual[k]);
                }
            }
        }
    }
    set_num_threads(before);
}

}  // namespace sinter::test
#else
#include <doctest/doctest.h>

TEST_CASE("flush to zero") { MESSAGE("[SKIP] no MXCSR on this processor"); }
#endif
