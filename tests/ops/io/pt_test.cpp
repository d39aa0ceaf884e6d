// Files written by PyTorch (tests/ops/io/torch, made by make.py there) and by Sinter.
#include "tests/ops/check.hpp"
#include "tests/ops/io/temporary_folder.hpp"
#include "tests/seed.hpp"

#include <sinter/functions/pt.hpp>

#include <random>

using namespace sinter;
using test::check;

namespace {

const std::string torch_files = test::foreign_files("SINTER_TEST_TORCH_FILES", SINTER_TORCH_FILES);

template <class T>
std::vector<T> counted() {
    std::vector<T> v;
    for (int i = 0; i < 6; ++i) v.push_back(static_cast<T>(static_cast<float>(i)));
    return v;
}

template <class C>
std::vector<C> pairs() {
    using R = typename C::value_type;
    std::vector<C> v;
    for (int i = 0; i < 6; ++i) v.push_back(C(R(i), -R(i)));
    return v;
}

std::string message_of(const std::string& path) {
    try {
        load_pt(path);
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("PyTorch's files of every dtype are read" * doctest::test_suite("host")) {
    const auto all = load_pt(torch_files + "each.pt");
    CHECK(all.size() == 14);
    check<uint8_t>(all.at("uint8"), {2, 3}, counted<uint8_t>());
    check<int8_t>(all.at("int8"), {2, 3}, counted<int8_t>());
    check<int16_t>(all.at("int16"), {2, 3}, counted<int16_t>());
    check<int32_t>(all.at("int32"), {2, 3}, counted<int32_t>());
    check<int64_t>(all.at("int64"), {2, 3}, counted<int64_t>());
    check<Half>(all.at("float16"), {2, 3}, counted<Half>());
    check<BFloat16>(all.at("bfloat16"), {2, 3}, counted<BFloat16>());
    check<float>(all.at("float32"), {2, 3}, counted<float>());
    check<double>(all.at("float64"), {2, 3}, counted<double>());
    check<bool>(all.at("bool"), {2, 3}, {true, false, true, false, true, false});
    check<sinter::complex<float>>(all.at("complex64"), {2, 3}, pairs<sinter::complex<float>>());
    check<sinter::complex<double>>(all.at("complex128"), {2, 3}, pairs<sinter::complex<double>>());
    check<float>(all.at("zero_d"), {}, {2.5f});
    CHECK(all.at("empty").sizes() == IntArrayRef({2, 0, 3}));
    const auto unsigned_ones = load_pt(torch_files + "unsigned.pt");
    check<int32_t>(unsigned_ones.at("uint16"), {3}, {1, 40000, 32768});
    check<int64_t>(unsigned_ones.at("uint32"), {3}, {1, 40000, 32768});
    check<int64_t>(unsigned_ones.at("uint64"), {3}, {1, 40000, 32768});
}

TEST_CASE("a file of one tensor has the empty name" * doctest::test_suite("host")) {
    const auto all = load_pt(torch_files + "one.pt");
    REQUIRE(all.size() == 1);
    check<float>(all.at(""), {3, 2}, {0, 3, 1, 4, 2, 5});
    CHECK(load_pt(torch_files + "one.pt", "").strides() == IntArrayRef({1, 3}));
}

TEST_CASE("modules, checkpoints and parameters are read" * doctest::test_suite("host")) {
    const auto module = load_pt(torch_files + "module.pt");
    CHECK(module.size() == 4);
    check<float>(module.at("0.weight"), {3, 2}, {0, 1, 2, 3, 4, 5});
    check<float>(module.at("2.bias"), {1}, {30});
    const std::string checkpoint = torch_files + "checkpoint.pt";
    CHECK_ERROR(ValueError, load_pt(checkpoint),
                "[load_pt] a value is no tensor; got " + checkpoint +
                    ": 'arch', which is text, expected tensors and numbers; try load_pt(path, "
                    "name) of a tensor, or saving the tensors alone");
    CHECK(load_pt(checkpoint, "model.0.weight").sizes() == IntArrayRef({3, 2}));
    check<int64_t>(load_pt(checkpoint, "epoch"), {}, {3});
    check<double>(load_pt(checkpoint, "best"), {}, {0.5});
    check<bool>(load_pt(checkpoint, "done"), {}, {false});
    check<float>(load_pt(checkpoint, "parts.0"), {2}, {1, 1});
    check<int64_t>(load_pt(checkpoint, "parts.1.1"), {}, {-(int64_t{1} << 40)});
    CHECK(load_pt(checkpoint, "moments.0.exp_avg").sizes() == IntArrayRef({3, 2}));
    CHECK_ERROR(ValueError, load_pt(checkpoint, "model"),
                "[load_pt] the file has no tensor of this name; got " + checkpoint +
                    ": 'model', expected the name of one of its tensors; try load_pt(path), which "
                    "returns all of them by name");
    for (const char* name : {"0", "1"}) {
        const Tensor t = load_pt(torch_files + "gradients.pt", name);
        CHECK(t.requires_grad());
        CHECK(t.is_leaf());
    }
}

TEST_CASE("tensors that shared memory share it again" * doctest::test_suite("host")) {
    const test::temporary_folder f;
    const std::string path = f / "shared.pt";
    const auto shares = [](const std::map<std::string, Tensor>& all) {
        all.at("row").fill_(7);
        check<float>(all.at("even"), {6}, std::vector<float>(6, 7));
        check<float>(all.at("last"), {4}, std::vector<float>(4, 7));
        CHECK(all.at("again").is_alias_of(all.at("row")));
    };
    const auto all = load_pt(torch_files + "shared.pt");
    check<float>(all.at("even"), {6}, {0, 2, 4, 6, 8, 10});
    check<float>(all.at("last"), {4}, {8, 9, 10, 11});
    save_pt(path, all);
    shares(all);
    const auto back = load_pt(path);
    check<float>(back.at("even"), {6}, {0, 2, 4, 6, 8, 10});
    CHECK(back.at("even").strides() == IntArrayRef({2}));
    shares(back);
}

TEST_CASE("signs that PyTorch keeps apart are applied" * doctest::test_suite("host")) {
    const auto all = load_pt(torch_files + "signs.pt");
    check<sinter::complex<float>>(all.at("conj"), {1}, {sinter::complex<float>(1, -2)});
    check<float>(all.at("neg"), {1}, {-2});
}

TEST_CASE("what is saved is loaded from a .pt file" * doctest::test_suite("host")) {
    const test::temporary_folder f;
    const std::string path = f / "a.pt";
    test::for_each_mode([&] {
        std::map<std::string, Tensor> all;
        for (ScalarType type : {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat,
                                kDouble, kBool, kComplexFloat, kComplexDouble})
            all[toString(type)] = (arange(12).view({3, 4}) % 2 + 1).to(type).t();
        all["pending"] = zeros({1000}) + 1;
        all["0-d"] = tensor(3);
        all["empty"] = zeros({0, 2});
        all["a name/with \xc3\xa9"] = ones({1});
        all["wide"] = arange(100'000).slice(0, 70'000, 70'002);  // its own elements alone
        all["parameter"] = ones({2}).requires_grad_();
        save_pt(path, all);
        const std::string first = test::bytes_of(path);
        CHECK(first.size() < 20'000);
        const auto back = load_pt(path);
        CHECK(back.size() == all.size());
        for (const auto& [name, t] : all) {
            CAPTURE(name);
            CHECK((back.at(name).dtype() == t.dtype()));
            CHECK(equal(back.at(name), t));
            CHECK(back.at(name).requires_grad() == t.requires_grad());
        }
        save_pt(path, all);
        CHECK(test::bytes_of(path) == first);
        save_pt(path, arange(3) + 1);
        check<int64_t>(load_pt(path, ""), {3}, {1, 2, 3});
        save_pt(path, std::map<std::string, Tensor>());
        CHECK(load_pt(path).empty());
    });
    CHECK(f.files() == 1);
}

TEST_CASE("files that would run code, and others that are refused" * doctest::test_suite("host")) {
    const auto refuses = [](const char* file, const std::string& what, const std::string& got) {
        CAPTURE(file);
        const std::string path = torch_files + file;
        CHECK(message_of(path).find("[load_pt] " + what + "; got " + path + ": " + got) == 0);
    };
    const std::string object = "the file holds an object that is no tensor";
    refuses("evil.pt", object, "posix.system");
    CHECK(!std::filesystem::exists("sinter_was_fooled"));
    refuses("whole_module.pt", object, "torch.nn.modules.container.Sequential");
    refuses("numpy.pt", object, "numpy");
    refuses("old.pt", "the archive cannot be opened", "Not a zip archive");
    refuses("compressed.pt", "a tensor's memory is compressed", "data/0");
    const test::temporary_folder f;
    const std::string p = f / "x.pt";
    CHECK_ERROR(Error, load_pt(p),
                "[load_pt] the archive cannot be opened; got " + p +
                    ": No such file, expected a file that torch.save of PyTorch 1.6 or later "
                    "wrote; try checking the path and its permissions");
    CHECK_ERROR(ValueError, save_pt(p, {{std::string(5000, 'x'), ones({1})}}),
                "[save_pt] a name is too long; got 5000 bytes, expected at most 4096 bytes; try a "
                "shorter name");
    CHECK_ERROR(
        Error, save_pt(p, Tensor()),
        "[save_pt] the tensor is undefined; got a default-constructed Tensor, expected a defined "
        "tensor; try assigning a tensor to it first; defined() tells whether it is one");
    CHECK(!std::filesystem::exists(p));
}

namespace {

/// Changes the pickle of a file whose checksums are then made anew, by writing it without any.
std::string with_pickle(const std::string& pickle) {
    // A zip archive of one stored entry, a/data.pkl, and another of 24 bytes, a/data/0.
    struct part {
        std::string name, bytes;
    };
    const auto crc = [](const std::string& bytes) {
        uint32_t c = ~0u;
        for (const char b : bytes) {
            c ^= static_cast<unsigned char>(b);
            for (int i = 0; i < 8; ++i) c = c >> 1 ^ (0xedb88320u & (0u - (c & 1)));
        }
        return ~c;
    };
    std::string out, directory;
    const auto number = [](std::string& to, uint64_t n, int bytes) {
        for (int i = 0; i < bytes; ++i) to += static_cast<char>(n >> 8 * i & 0xff);
    };
    const std::vector<part> parts{{"a/data.pkl", pickle}, {"a/data/0", std::string(24, '\1')}};
    for (const part& p : parts) {
        const std::size_t at = out.size();
        std::string common;
        number(common, 20, 2), number(common, 0, 2), number(common, 0, 2),
            number(common, 0x21 << 16, 4);
        number(common, crc(p.bytes), 4), number(common, p.bytes.size(), 4);
        number(common, p.bytes.size(), 4), number(common, p.name.size(), 2), number(common, 0, 2);
        out += "PK\3\4" + common + p.name + p.bytes;
        directory += "PK\1\2";
        number(directory, 20, 2);
        directory += common;
        number(directory, 0, 2), number(directory, 0, 2), number(directory, 0, 2);
        number(directory, 0, 4), number(directory, at, 4);
        directory += p.name;
    }
    const std::size_t at = out.size();
    out += directory + "PK\5\6";
    number(out, 0, 4), number(out, parts.size(), 2), number(out, parts.size(), 2);
    number(out, directory.size(), 4), number(out, at, 4), number(out, 0, 2);
    return out;
}

/// A tensor of Float over the 24 bytes of data/0.
std::string tensor_pickle(const std::string& offset, const std::string& sizes,
                          const std::string& strides) {
    return "\x80\x02"
           "ctorch._utils\n_rebuild_tensor_v2\n((X\7" +
           std::string(3, '\0') + "storagectorch\nFloatStorage\nX\1" + std::string(3, '\0') +
           "0X\3" + std::string(3, '\0') + "cpuK\6tQ" + offset + sizes + strides +
           "\x89"
           "ccollections\nOrderedDict\n)RtR.";
}

}  // namespace

TEST_CASE("tensors beyond their memory, cycles and broken pickles are refused" *
          doctest::test_suite("host")) {
    const test::temporary_folder f;
    const std::string p = f / "x.pt";
    const auto message = [&](const std::string& pickle) {
        test::write_bytes(p, with_pickle(pickle));
        const std::string text = message_of(p);
        const std::string start = ": ";
        const std::size_t at = text.find(p);
        return at == std::string::npos ? text : text.substr(0, at) + text.substr(at + p.size() + 2);
    };
    const std::string two = "K\2K\3\x86", ones = "K\1K\1\x86", rows = "K\3K\1\x86";
    CHECK(message(tensor_pickle(std::string("K\0", 2), two, rows)) == "");
    check<float>(load_pt(p, ""), {2, 3}, std::vector<float>(6, 2.36942783e-38f));
    const std::string beyond = "[load_pt] a tensor reaches beyond its memory; got ";
    CHECK(message(tensor_pickle("K\1", two, rows)).find(beyond) == 0);
    CHECK(message(tensor_pickle("J\xff\xff\xff\xff", two, rows)).find(beyond) == 0);
    CHECK(message(tensor_pickle(std::string("K\0", 2), two, "K\4K\1\x86")).find(beyond) == 0);
    const std::string large = "\x8a\x08" + std::string(7, '\xff') + "\x7f";
    CHECK(message(tensor_pickle(std::string("K\0", 2), two, large + large + "\x86")).find(beyond) ==
          0);
    CHECK(message(tensor_pickle(std::string("K\0", 2), "J\xff\xff\xff\xffK\1\x86", ones))
              .find("[load_pt] a tensor has impossible sizes or strides; got ") == 0);
    CHECK(message(tensor_pickle(std::string("K\0", 2), "K\1\x85", ones)).find(beyond) == 0);
    // d = {}; d["d"] = d
    CHECK(message("\x80\x02}q\1X\1" + std::string(3, '\0') + "dh\1s.")
              .find("[load_pt] the file has too many values; got value ") == 0);
    // A list of many under a long name: {"xxx...": [1, 1, ...]}
    CHECK(message("\x80\x02}X" + std::string("\xa0\x0f\0\0", 4) + std::string(4000, 'x') + "](" +
                  std::string(200'000, 'N') + "es.")
              .find("[load_pt] the file has too many values; got value ") == 0);
    // Each of these bytes would be a dict.
    CHECK(message("\x80\x02" + std::string(2'000'000, '}') + ".") ==
          "[load_pt] the file has too many values; got more than 1000000, expected fewer values; "
          "try several files");
    for (const std::string& broken :
         {std::string("."), std::string("\x80\x02."), std::string("\x80\x02N"),
          std::string("\x80\x02NN."), std::string("\x80\x02t."), std::string("\x80\x02(."),
          std::string("\x80\x02h\1."), std::string("\x80\x02Nu."), std::string("\x80\x02R."),
          std::string("\x80\x02(NN]e."), std::string("\x80\x02N.N")})
        CHECK(message(broken).find("[load_pt] the pickle is damaged; got ") == 0);
    CHECK(message("\x80\x02i.")
              .find("[load_pt] the file holds an object that is no tensor; got the operation 105 "
                    "at byte "
                    "2, expected tensors, numbers, text, dicts, lists and tuples, since nothing "
                    "else is "
                    "read; try saving a dict of tensors, such as a module's state_dict()") == 0);
    // Changed bytes, anywhere: a file is read or refused.
    std::mt19937_64 random(test::seed());
    const std::string whole = tensor_pickle(std::string("K\0", 2), two, rows);
    for (int i = 0; i < test::cases(2000); ++i) {
        const uint64_t seed = random();
        CAPTURE(seed);
        std::mt19937_64 r(seed);
        std::string changed = whole;
        for (uint64_t n = r() % 3 + 1; n-- > 0;)
            changed[r() % changed.size()] =
                static_cast<char>(r() % 2 ? r() : whole[r() % whole.size()]);
        const std::string said = message(changed);
        CHECK((said.empty() || said.find("[load_pt] ") == 0));
    }
}
