#include "tests/ops/check.hpp"
#include "tests/ops/io/temporary_folder.hpp"

using namespace sinter;
using test::check;

namespace {

using folder = test::temporary_folder;

/// Writes a file of version 1, 2 or 3 with this dictionary and these bytes.
void write(const std::string& path, const std::string& dictionary, const std::string& data,
           char version = 1) {
    std::ofstream out(path, std::ios::binary);
    out << "\x93NUMPY" << version << '\0';
    const auto n = dictionary.size();
    out << static_cast<char>(n & 255) << static_cast<char>(n >> 8);
    if (version >= 2) out << '\0' << '\0';
    out << dictionary << data;
}

template <class T>
std::string bytes(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

TEST_CASE("what is saved is loaded" * doctest::test_suite("host")) {
    folder f;
    test::for_each_mode([&] {
        const std::string path = f / "a.npy";
        for (ScalarType type :
             {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kBool}) {
            const Tensor a = (arange(12).view({3, 4}) % 2 + 1).to(type);
            save_npy(a.t(), path);
            const Tensor b = load_npy(path);
            CHECK((b.dtype() == type));
            CHECK(b.is_contiguous());
            CHECK(equal(b, a.t()));
        }
        for (const Tensor& t : {zeros({}), zeros({0, 3}), ones({5}), zeros({1, 1, 1, 2})}) {
            save_npy(t, path);
            CHECK(equal(load_npy(path), t));
        }
        save_npy(arange(10)[7], path);
        CHECK(load_npy(path).item<int64_t>() == 7);
    });
    CHECK(f.files() == 1);
    CHECK(std::filesystem::file_size(f / "a.npy") == 128 + 8);
}

TEST_CASE("both orders and all versions are read") {
    folder f;
    const std::string data = bytes<float>({1, 2, 3, 4, 5, 6});
    write(f / "c.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", data, 2);
    write(f / "f.npy", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", data);
    const std::string turned = std::string("\x3f\x80\0\0\xc0\0\0\0", 8);
    write(f / "big.npy", "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n", turned);
    check<float>(load_npy(f / "big.npy"), {2}, {1, -2});
    write(f / "s.npy", "{\"shape\": (), \"descr\": \"|u1\",\"fortran_order\": False}", "\x07");
    write(f / "b.npy", "{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x02\x01");
    check<float>(load_npy(f / "c.npy"), {2, 3}, {1, 2, 3, 4, 5, 6});
    write(f / "3.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }\n", data, 3);
    check<float>(load_npy(f / "3.npy"), {6}, {1, 2, 3, 4, 5, 6});
    check<float>(load_npy(f / "f.npy"), {2, 3}, {1, 3, 5, 2, 4, 6});
    CHECK(load_npy(f / "f.npy").strides() == IntArrayRef({1, 2}));
    check<uint8_t>(load_npy(f / "s.npy"), {}, {7});
    check<bool>(load_npy(f / "b.npy"), {2}, {true, true});
}

TEST_CASE("unsigned integers of NumPy become the next wider signed ones") {
    folder f;
    const auto stored = [&](const char* type, const std::string& data, const char* shape = "(3,)") {
        write(f / "u.npy",
              std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': " + shape +
                  "}",
              data);
        return load_npy(f / "u.npy");
    };
    check<int32_t>(stored("<u2", bytes<uint16_t>({0, 40000, 65535})), {3}, {0, 40000, 65535});
    check<int64_t>(stored("<u4", bytes<uint32_t>({1, 3000000000u, 4294967295u})), {3},
                   {1, 3000000000, 4294967295});
    check<int64_t>(stored("<u8", bytes<uint64_t>({7, 8, 9223372036854775807u})), {3},
                   {7, 8, INT64_MAX});
    check<int32_t>(stored(">u2", std::string("\0\1\x9c\x40\xff\xff", 6)), {3}, {1, 40000, 65535});
    check<int32_t>(stored("<u2", "", "(0,)"), {0}, {});
    CHECK_ERROR(
        ValueError, stored("<u8", bytes<uint64_t>({1, 2, 9223372036854775808u})),
        "[load_npy] an element does not fit the dtype; got " + f / "u.npy" +
            ": 9223372036854775808 in u8, which is read as Long, expected at most 2^63 - 1; try "
            "astype() to a supported type before numpy.save");
}

TEST_CASE("what cannot be loaded") {
    folder f;
    std::filesystem::create_directory(f / "sub");
    CHECK_ERROR(
        Error, load_npy(f / "sub"),
        "[load_npy] the file cannot be opened; got " + f / "sub" +
            ", a folder, expected a readable file; try checking the path and its permissions");
    const std::string p = f / "x.npy";
    const auto refusal = [&](const std::string& what, const std::string& got,
                             const std::string& expected,
                             const char* remedy = "saving the array again with numpy.save") {
        return "[load_npy] " + what + "; got " + p + ": " + got + ", expected " + expected +
               "; try " + remedy;
    };
    CHECK_ERROR(Error, load_npy(p),
                "[load_npy] the file cannot be opened; got " + p +
                    ", expected a readable file; try checking the path and its permissions");
    std::ofstream(p) << "hello, world";
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("the file is not a .npy file", "other first bytes", "\\x93NUMPY"));
    write(p, "{}", "", 4);
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("the format version is not supported", "4", "1, 2 or 3"));
    write(p, "{'descr': '<c32', 'fortran_order': False, 'shape': (1,)}", "12345678");
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("the element type is not supported", "'<c32'",
                        "f2, f4, f8, c8, c16, i1, i2, i4, i8, u1, u2, u4, u8 or b1",
                        "astype() to a supported type before numpy.save"));
    write(p, "{'descr': '<f4', 'fortran_order': False}", "");
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("the header lacks a key", "no shape", "descr, fortran_order and shape"));
    write(p, "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", "1234");
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("fortran_order cannot be read", "Maybe", "True or False"));
    write(p, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, x)}", "1234");
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("the shape cannot be read", "(1, x)", "a tuple of sizes"));
    write(p, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234");
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("the file ends within the elements", "4 bytes for shape [2]", "8 bytes"));
    std::ofstream(p, std::ios::binary) << "\x93NUMPY\x01" << '\0' << "\x50" << '\0' << "{";
    CHECK_ERROR(ValueError, load_npy(p),
                refusal("the file ends within the header", "too few bytes", "a whole header"));
    CHECK_ERROR(Error, save_npy(zeros({1}), f / "no/such/folder.npy"),
                "[save_npy] the file cannot be written; got " + (f / "no/such/folder.npy") +
                    ", expected a writable folder with free space; try checking the folder's "
                    "permissions and space");
}
