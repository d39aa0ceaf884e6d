// Statements about memory that the program accesses itself.
#include "tests/property/program.hpp"

#include "engine/graph/graph.hpp"

#include <cmath>
#include <cstring>

namespace sinter::test {

namespace {

void store(char* data, std::size_t i, ScalarType dtype, double value) {
    switch (dtype) {
#define SINTER_DTYPE(T, C, name, ...)                      \
    case ScalarType::name: {                               \
        const T x = static_cast<T>(static_cast<C>(value)); \
        std::memcpy(data + i * sizeof(T), &x, sizeof x);   \
        break;                                             \
    }
#include <sinter/core/dtype.def>
        default: {
            const ScalarType part = toRealValueType(dtype);
            store(data, 2 * i, part, value);
            store(data, 2 * i + 1, part, value / 2 - 1);
        }
    }
}

}  // namespace

void make_nans_alike(char* data, std::size_t elements, ScalarType dtype) {
    if (isComplexType(dtype)) return make_nans_alike(data, 2 * elements, toRealValueType(dtype));
    for (std::size_t i = 0; i < elements; ++i) {
        if (dtype == kFloat) {
            float x;
            std::memcpy(&x, data + 4 * i, 4);
            if (std::isnan(x)) std::memset(data + 4 * i, 0xff, 4);
        } else if (dtype == kDouble) {
            double x;
            std::memcpy(&x, data + 8 * i, 8);
            if (std::isnan(x)) std::memset(data + 8 * i, 0xff, 8);
        } else if (dtype == kHalf || dtype == kBFloat16) {
            uint16_t x;
            std::memcpy(&x, data + 2 * i, 2);
            if ((x & 0x7fff) > (dtype == kHalf ? 0x7c00 : 0x7f80))
                std::memset(data + 2 * i, 0xff, 2);
        } else {
            return;
        }
    }
}

std::string canonical_bytes(const Tensor& t) {
    const Tensor dense = t.cpu().contiguous();
    const auto* p = static_cast<const char*>(dense.const_data_ptr());
    std::string bytes(p, dense.nbytes());
    make_nans_alike(bytes.data(), static_cast<std::size_t>(dense.numel()), dense.scalar_type());
    return bytes;
}

/// Makes a tensor over memory that the program owns.
void machine::blob(chooser& c) {
    const std::vector<int64_t> sizes = random_sizes(c);
    const ScalarType dtype = random_dtype(c);
    std::size_t n = 1;
    for (int64_t s : sizes) n *= static_cast<std::size_t>(s);
    auto r = std::make_unique<region>();
    r->own.resize(n * elementSize(dtype) / sizeof(std::max_align_t) + 1);
    r->data = reinterpret_cast<char*>(r->own.data());
    r->elements = n;
    r->dtype = dtype;
    for (std::size_t i = 0; i < n; ++i)
        store(r->data, i, dtype, static_cast<double>(c.below(9)) / 2);
    Tensor t = from_blob(r->data, sizes, dtype);
    regions_.push_back(std::move(r));
    say(" region ", regions_.size() - 1, " ", dtype, IntArrayRef(sizes));
    put(c, std::move(t), "");
}

/// Makes a tensor over memory that the program promises not to change: reads are lazy, writes
/// throw.
void machine::const_blob(chooser& c) {
    const int64_t n = c.between(1, 70);
    auto values = std::make_unique<std::vector<double>>();
    for (int64_t i = 0; i < n; ++i) values->push_back(static_cast<double>(c.between(-9, 9)) / 4);
    const double* p = values->data();
    constants_.push_back(std::move(values));
    put(c, from_blob(static_cast<const void*>(p), {n}, kDouble), "constant memory");
}

/// Makes results of memory that is freed before they are read.
void machine::dying(chooser& c) {
    std::vector<float> local(static_cast<std::size_t>(c.between(1, 40)));
    for (float& x : local) x = static_cast<float>(c.between(-9, 9));
    const Tensor t = from_blob(local.data(), {static_cast<int64_t>(local.size())}, kFloat);
    Tensor result = c.chance(2)   ? Tensor(t * 2)
                    : c.chance(2) ? t.flip({0})
                                  : t.cpu().sum({0}, true);
    ++counts_->external_reads;
    std::fill(local.begin(), local.end(), 12345.0f);
    put(c, std::move(result), "of a dying vector");
}

/// Reads and writes memory by its pointer, between two statements.
void machine::poke(chooser& c) {
    if (regions_.empty()) {
        blob(c);
        return;
    }
    const auto i = static_cast<std::size_t>(c.below(static_cast<int64_t>(regions_.size())));
    region& r = *regions_[i];
    say(" region ", i);
    std::string bytes(r.data, r.elements * elementSize(r.dtype));
    make_nans_alike(bytes.data(), r.elements, r.dtype);
    record("memory", std::move(bytes));
    for (int k = 0; k < 3 && r.elements; ++k)
        store(r.data, static_cast<std::size_t>(c.below(static_cast<int64_t>(r.elements))), r.dtype,
              static_cast<double>(c.between(0, 30)) / 4);
    ++counts_->external_writes;
    ++counts_->writes;
}

/// Takes the pointer of a tensor, which makes its memory external. Often it is a tensor that an
/// unfinished expression reads.
void machine::expose(chooser& c) {
    const std::size_t at = c.chance(2) ? held_from_ : any_slot(c);
    const Tensor& t = slots_[at];
    say(" s", at);
    if (!t.is_contiguous() || t.numel() == 0) return;
    if (c.chance(3)) {
        record("read through a pointer", canonical_bytes(t));
        return;
    }
    auto r = std::make_unique<region>();
    r->handle = t;
    r->data = static_cast<char*>(t.data_ptr());
    r->elements = static_cast<std::size_t>(t.numel());
    r->dtype = t.scalar_type();
    if (c.chance(2)) {
        say(" written");
        store(r->data, 0, r->dtype, 3);
        ++counts_->external_writes;
    }
    regions_.push_back(std::move(r));
    say(" is region ", regions_.size() - 1);
}

}  // namespace sinter::test
