// Files written by safetensors (tests/ops/io/torch, made by make.py there) and by Sinter.
#include "tests/ops/check.hpp"
#include "tests/ops/io/temporary_folder.hpp"
#include "tests/seed.hpp"

#include <sinter/functions/safetensors.hpp>

#include <random>

using namespace sinter;
using test::check;

namespace {

const std::string torch_files = test::foreign_files("SINTER_TEST_TORCH_FILES", SINTER_TORCH_FILES);

std::string file_of(const std::string& table, const std::string& elements) {
    std::string length(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(table.size() >> 8 * i & 0xff);
    return length + table + elements;
}

}  // namespace

TEST_CASE("files of safetensors are read" * doctest::test_suite("host")) {
    const auto all = load_safetensors(torch_files + "each.safetensors");
    CHECK(all.size() == 13);
    check<uint8_t>(all.at("uint8"), {2, 3}, {0, 1, 2, 3, 4, 5});
    check<int8_t>(all.at("int8"), {2, 3}, {0, 1, 2, 3, 4, 5});
    check<int16_t>(all.at("int16"), {2, 3}, {0, 1, 2, 3, 4, 5});
    check<int32_t>(all.at("int32"), {2, 3}, {0, 1, 2, 3, 4, 5});
    check<int64_t>(all.at("int64"), {2, 3}, {0, 1, 2, 3, 4, 5});
    check<Half>(all.at("float16"), {2, 3}, test::elements<Half>(arange(6).to(kHalf)));
    check<BFloat16>(all.at("bfloat16"), {2, 3}, test::elements<BFloat16>(arange(6).to(kBFloat16)));
    check<float>(all.at("float32"), {2, 3}, {0, 1, 2, 3, 4, 5});
    check<double>(all.at("float64"), {2, 3}, {0, 1, 2, 3, 4, 5});
    check<bool>(all.at("bool"), {2, 3}, {true, false, true, false, true, false});
    CHECK(equal(view_as_real(all.at("complex64")).select(2, 1).neg(),
                arange(6, kFloat).view({2, 3})));
    check<float>(all.at("zero_d"), {}, {2.5f});
    CHECK(all.at("empty").sizes() == IntArrayRef({2, 0, 3}));
    const auto unsigned_ones = load_safetensors(torch_files + "unsigned.safetensors");
    check<int32_t>(unsigned_ones.at("uint16"), {3}, {1, 40000, 32768});
    check<int64_t>(unsigned_ones.at("uint32"), {3}, {1, 40000, 32768});
    check<int64_t>(unsigned_ones.at("uint64"), {3}, {1, 40000, 32768});
    check<float>(load_safetensors(torch_files + "each.safetensors", "zero_d"), {}, {2.5f});
    const std::map<std::string, std::string> notes{{"format", "pt"},
                                                   {"note", "\xc3\xa9 \"quoted\""}};
    CHECK((load_safetensors_metadata(torch_files + "each.safetensors") == notes));
    CHECK(load_safetensors_metadata(torch_files + "unsigned.safetensors").empty());
}

TEST_CASE("what is saved is loaded from a safetensors file" * doctest::test_suite("host")) {
    const test::temporary_folder f;
    const std::string path = f / "a.safetensors";
    test::for_each_mode([&] {
        std::map<std::string, Tensor> all;
        for (ScalarType type : {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat,
                                kDouble, kBool, kComplexFloat})
            all[toString(type)] = (arange(12).view({3, 4}) % 2 + 1).to(type).t();
        all["pending"] = zeros({1000}) + 1;
        all["0-d"] = tensor(3);
        all["empty"] = zeros({0, 2});
        all["a \"name\"/with \xc3\xa9\n"] = ones({1});
        const std::map<std::string, std::string> notes{{"by", "a \\ test"}};
        save_safetensors(path, all, notes);
        const std::string first = test::bytes_of(path);
        const auto back = load_safetensors(path);
        CHECK(back.size() == all.size());
        for (const auto& [name, t] : all) {
            CAPTURE(name);
            CHECK((back.at(name).dtype() == t.dtype()));
            CHECK(equal(back.at(name), t));
            CHECK(equal(load_safetensors(path, name), t));
        }
        CHECK((load_safetensors_metadata(path) == notes));
        save_safetensors(path, all, notes);
        CHECK(test::bytes_of(path) == first);
        save_safetensors(path, {});
        CHECK(load_safetensors(path).empty());
    });
    CHECK(f.files() == 1);
}

TEST_CASE("safetensors files that are refused" * doctest::test_suite("host")) {
    const test::temporary_folder f;
    const std::string p = f / "x.safetensors";
    const auto message = [&](const std::string& bytes) -> std::string {
        test::write_bytes(p, bytes);
        try {
            load_safetensors(p);
        } catch (const ValueError& e) {
            const std::string text = e.what();
            const std::size_t at = text.find(p);
            return text.substr(0, at) + text.substr(at + p.size() + 2);
        }
        return "";
    };
    const auto table = [&](const std::string& t, const std::string& elements = "") {
        return message(file_of(t, elements));
    };
    const std::string eight(8, '\0');
    CHECK(message("abc") ==
          "[load_safetensors] the file is no safetensors file; got 3 bytes, expected 8 bytes or "
          "more; try saving the file again");
    CHECK(message("\xff" + std::string(7, '\0') + "{}") ==
          "[load_safetensors] the file is no safetensors file, or ends too early; got a table of "
          "255 bytes in a file of 10, expected at most the file and 100000000 bytes; try saving "
          "the file again");
    CHECK(message(std::string(8, '\xff') + "{}").find("[load_safetensors] the file is no") == 0);
    CHECK(table("[]") ==
          "[load_safetensors] the file is no safetensors file; got other first bytes of the table, "
          "expected {; try saving the file again");
    const auto wrong = [&](const std::string& t, const std::string& got) {
        CAPTURE(t);
        CHECK(table(t, eight) ==
              "[load_safetensors] the table of tensors cannot be read; got " + got +
                  ", expected JSON with dtype, shape and data_offsets of each tensor; try saving "
                  "the file again");
    };
    const std::string x = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
    CHECK(table(x + "}", eight) == "");
    CHECK(table(x + "}   ", eight) == "");
    wrong("{", "no JSON from byte 2 on");
    wrong(R"({"x":1})", "a number in the entry x");
    wrong(R"({"x":{}})", "no dtype, shape or data_offsets in the entry x");
    wrong(R"({"x":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
          "a negative number in the entry x");
    wrong(R"({"x":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})",
          "the number 2.5 in the entry x");
    wrong(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})",
          "offsets that are not two in the entry x");
    wrong(R"({"x":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", "a list in the entry x");
    wrong(R"({"x":{"dtype":{},"shape":[2],"data_offsets":[0,8]}})", "an object in the entry x");
    wrong(R"({"x":{"dtype":null,"shape":[2],"data_offsets":[0,8]}})", "null in the entry x");
    wrong(R"({"x":{"dtype":"F32","size":2}})", "the key size in the entry x");
    wrong(x + R"(,"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
          "the same name twice in the entry x");
    wrong(R"({"x":{"dtype":"F32","dtype":"F64"}})", "the same key twice in the entry x");
    wrong(x + R"(,"__metadata__":{"a":1}})", "a number in the entry __metadata__");
    const auto says = [&](const std::string& t, const std::string& what) {
        CAPTURE(t);
        CHECK(table(t, eight).find("[load_safetensors] " + what) == 0);
    };
    const std::string fit = "the bytes of a tensor do not fit its sizes; got x of F32 ";
    says(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
         fit + "[3] at 0 to 8, expected 12 bytes");
    says(R"({"x":{"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]}})", fit);
    says(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
         "the file's length does not fit its tensors; got 8 bytes of elements, expected 4 bytes");
    says(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
         "the tensors do not lie one behind the other; got x at 4 to 8, expected a tensor at 0");
    says(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[8,0]}})",
         "the tensors do not lie one behind the other; got x at 8 to 0");
    says(x + R"(,"y":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
         "the tensors do not lie one behind the other; got y at 0 to 8");
    const std::string eighths = torch_files + "float8.safetensors";
    CHECK_ERROR(ValueError, load_safetensors(eighths),
                "[load_safetensors] no tensor has this element type; got " + eighths +
                    ": F8_E4M3 of x, expected U8, I8, I16, I32, I64, F16, BF16, F32, F64, C64, "
                    "BOOL, U16, U32, U64; try converting the tensor before the file is written");
    save_safetensors(p, {{"x", ones({1})}});
    CHECK_ERROR(ValueError, load_safetensors(p, "y"),
                "[load_safetensors] the file has no tensor of this name; got " + p +
                    ": y, expected the name of one of its tensors; try load_safetensors(path), "
                    "which returns all of them by name");
    CHECK_ERROR(ValueError, save_safetensors(p, {{"__metadata__", ones({1})}}),
                "[save_safetensors] a tensor has a name that the format keeps for notes; got "
                "__metadata__, expected another name; try renaming the tensor");
    CHECK_ERROR(ValueError, save_safetensors(p, {{"\xff", ones({1})}}),
                "[save_safetensors] a name or a note is not UTF-8; got other bytes, expected "
                "UTF-8; try names of UTF-8 text");
    CHECK_ERROR(TypeError, save_safetensors(p, {{"z", ones({1}, kComplexDouble)}}),
                "[save_safetensors] the format lacks the dtype; got ComplexDouble of z, expected "
                "U8, I8, I16, I32, I64, F16, BF16, F32, F64, C64, BOOL, U16, U32, U64; try "
                "to(kComplexFloat), or view_as_real()");
    check<float>(load_safetensors(p, "x"), {1}, {1});  // as it was
}

TEST_CASE("changed bytes of a safetensors file are read or refused" * doctest::test_suite("host")) {
    const test::temporary_folder f;
    const std::string p = f / "x.safetensors";
    save_safetensors(p, {{"a", arange(3)}, {"b", ones({2, 2})}}, {{"k", "v"}});
    const std::string whole = test::bytes_of(p);
    std::mt19937_64 random(test::seed());
    for (int i = 0; i < test::cases(2000); ++i) {
        const uint64_t seed = random();
        CAPTURE(seed);
        std::mt19937_64 r(seed);
        std::string changed = whole;
        for (uint64_t n = r() % 3 + 1; n-- > 0;)
            changed[r() % changed.size()] =
                static_cast<char>(r() % 2 ? r() : static_cast<uint64_t>(whole[r() % whole.size()]));
        test::write_bytes(p, changed);
        std::string said;
        try {
            load_safetensors(p);
        } catch (const ValueError& e) {
            said = e.what();
        }
        CHECK((said.empty() || said.find("[load_safetensors] ") == 0));
    }
}
