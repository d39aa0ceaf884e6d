// Archives written by NumPy (tests/ops/io/numpy, made by make.py there) and by Sinter.
#include "tests/ops/check.hpp"
#include "tests/ops/io/temporary_folder.hpp"

#include <sinter/functions/npz.hpp>

using namespace sinter;
using test::check;

namespace {

const std::string numpy = test::foreign_files("SINTER_TEST_NUMPY_FILES", SINTER_NUMPY_FILES);

using test::bytes_of;
using folder = test::temporary_folder;

template <class T>
std::vector<T> counted_from(int first) {
    std::vector<T> v;
    for (int i = 0; i < 6; ++i) v.push_back(static_cast<T>(static_cast<float>(first + i)));
    return v;
}

}  // namespace

TEST_CASE("NumPy's archives are read, stored and deflated, in both byte orders") {
    for (const char* name : {"stored.npz", "deflated.npz"}) {
        CAPTURE(name);
        const auto all = load_npz(numpy + name);
        CHECK(all.size() == 22);
        for (const char* order : {"_little", "_big"}) {
            const auto get = [&](const char* type) { return all.at(type + std::string(order)); };
            check<Half>(get("f2"), {2, 3}, counted_from<Half>(-2));
            check<float>(get("f4"), {2, 3}, counted_from<float>(-2));
            check<double>(get("f8"), {2, 3}, counted_from<double>(-2));
            check<int8_t>(get("i1"), {2, 3}, counted_from<int8_t>(-2));
            check<int16_t>(get("i2"), {2, 3}, counted_from<int16_t>(-2));
            check<int32_t>(get("i4"), {2, 3}, counted_from<int32_t>(-2));
            check<int64_t>(get("i8"), {2, 3}, counted_from<int64_t>(-2));
            check<uint8_t>(get("u1"), {2, 3}, counted_from<uint8_t>(0));
        }
        check<bool>(all.at("bool"), {2, 3}, {true, false, true, false, true, false});
        check<float>(all.at("fortran"), {2, 3}, counted_from<float>(0));
        CHECK(all.at("fortran").strides() == IntArrayRef({1, 2}));
        check<int16_t>(all.at("fortran_big"), {2, 3}, counted_from<int16_t>(0));
        check<double>(all.at("zero_d"), {}, {2.5});
        CHECK(all.at("empty").sizes() == IntArrayRef({2, 0, 3}));
        check<int64_t>(load_npz(numpy + name, "one"), {1}, {7});
    }
}

TEST_CASE("what is saved is loaded" * doctest::test_suite("host")) {
    const folder f;
    const std::string path = f.path + "/a.npz";
    test::for_each_mode([&] {
        for (bool compressed : {false, true}) {
            std::map<std::string, Tensor> arrays;
            for (ScalarType type :
                 {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kBool})
                arrays[toString(type)] = (arange(12).view({3, 4}) % 2 + 1).to(type).t();
            arrays["pending"] = zeros({1000}) + 1;
            arrays["0-d"] = tensor(3);
            arrays["empty"] = zeros({0, 2});
            arrays["a name/with \xc3\xa9"] = ones({1});
            save_npz(path, arrays, compressed);
            const std::string first = bytes_of(path);
            const auto back = load_npz(path);
            CHECK(back.size() == arrays.size());
            for (const auto& [name, t] : arrays) {
                CAPTURE(name);
                CHECK((back.at(name).dtype() == t.dtype()));
                CHECK(equal(back.at(name), t));
            }
            CHECK((std::filesystem::file_size(path) < 6000) == compressed);
            save_npz(path, arrays, compressed);
            CHECK(bytes_of(path) == first);
        }
    });
    CHECK(f.files() == 1);
}

TEST_CASE("a file that may only be read is read" * doctest::test_suite("host")) {
    const folder f;
    const std::string path = f.path + "/a.npz";
    save_npz(path, {{"x", arange(3)}});
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    const Tensor x = load_npz(path, "x");
    x.add_(1);
    CHECK(equal(x, tensor({1, 2, 3})));
}

TEST_CASE("archives that are refused") {
    const folder f;
    const std::string p = f.path + "/x.npz";
    CHECK_ERROR(Error, load_npz(p),
                "[load_npz] the archive cannot be opened; got " + p +
                    ": No such file, expected a readable .npz file; try checking the path and its "
                    "permissions");
    std::ofstream(p) << "hello, world, this is not an archive of any kind";
    CHECK_ERROR(Error, load_npz(p),
                "[load_npz] the archive cannot be opened; got " + p +
                    ": Not a zip archive, expected a readable .npz file; try checking the path and "
                    "its permissions");
    const std::string o = numpy + "objects.npz";
    CHECK_ERROR(ValueError, load_npz(o),
                "[load_npz] the elements are Python objects; got " + o +
                    "(objects): '|O', expected numbers or booleans; try astype() to a supported "
                    "type before numpy.save");
    CHECK(load_npz(o, "plain").numel() == 3);
    CHECK_ERROR(ValueError, load_npz(o, "other"),
                "[load_npz] the archive has no array of this name; got " + o +
                    ": other, expected the name of one of its arrays; try load_npz(path), which "
                    "returns all of them by name");
    CHECK_ERROR(ValueError, load_npy(numpy + "objects.npy"),
                "[load_npy] the elements are Python objects; got " + numpy +
                    "objects.npy: '|O', expected numbers or booleans; try astype() to a supported "
                    "type before numpy.save");
    // A byte of the elements is wrong; the archive's checksum detects it.
    std::string damaged = bytes_of(numpy + "stored.npz");
    damaged[damaged.find("\x93NUMPY") + 128]++;
    std::ofstream(p, std::ios::binary) << damaged;
    bool refused = false;
    try {
        load_npz(p);
    } catch (const ValueError& e) {
        refused = std::string(e.what()).find("[load_npz] the entry is damaged") == 0 ||
                  std::string(e.what()).find("[load_npz] the elements cannot be read") == 0;
    }
    CHECK(refused);
    CHECK_ERROR(ValueError, save_npz(p, {}),
                "[save_npz] the map of arrays is empty; got no arrays, expected one array or more; "
                "try an array without elements, as in empty({0})");
    const std::string nowhere = f.path + "/no/such/folder.npz";
    std::string message;
    try {
        save_npz(nowhere, {{"x", zeros({1})}});
    } catch (const Error& e) {
        message = e.what();
    }
    CHECK(message.find("[save_npz] the file cannot be written; got " + nowhere) == 0);
    CHECK_ERROR(
        Error, save_npz(p, {{"x", Tensor()}}),
        "[save_npz] the tensor is undefined; got a default-constructed Tensor, expected a defined "
        "tensor; try assigning a tensor to it first; defined() tells whether it is one");
}
