// The common part of the vendors' tables. A library is opened by name when the first operation on
// one of the vendor's GPUs needs it. Some functions exist once for each dtype.
//
// A row of a table is a member, the name, and the type of the function; `?` in a name stands for
// the letter of the dtype. Everything is declared here, so no vendor's header is needed to build.
// Handles and enumerations are opaque pointers and integers.
#pragma once

#include "runtime/device/driver_library.hpp"

#include <sinter/complex.hpp>

#include <span>
#include <string>
#include <type_traits>

namespace sinter::gpu_linalg {

template <class T>
inline constexpr char letter = 's';
template <>
inline constexpr char letter<double> = 'd';
template <>
inline constexpr char letter<complex<float>> = 'c';
template <>
inline constexpr char letter<complex<double>> = 'z';

template <class T>
struct real_type {
    using type = T;
};
template <class R>
struct real_type<complex<R>> {
    using type = R;
};
template <class T>
using real_of = typename real_type<T>::type;
template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, real_of<T>>;

/// Returns the name of a function for T. Complex dtypes may have another name.
template <class T>
std::string name_for(const char* real, const char* complex, bool capital) {
    std::string name = is_complex<T> && complex ? complex : real;
    const char c = letter<T>;
    name[name.find('?')] = capital ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

#define SINTER_GPU_TYPED_MEMBER(member, real, complex, ...) \
    std::add_pointer_t<__VA_ARGS__> member = nullptr;
#define SINTER_GPU_TYPED_FIND(member, real, complex, ...) \
    if (!from.find(name_for<T>(real, complex, capital).c_str(), member)) return false;

/// SINTER_GPU_FUNCTIONS for functions of T, whose letter may be a capital.
#define SINTER_GPU_TYPED_FUNCTIONS(rows, capital_letter)                     \
    using R = real_of<T>;                                                    \
    static constexpr bool capital = capital_letter;                          \
    rows(SINTER_GPU_TYPED_MEMBER) bool fill(runtime::driver_library& from) { \
        rows(SINTER_GPU_TYPED_FIND) return true;                             \
    }

/// What differs between libraries, and how their codes are read.
struct library_words {
    const char* name;                              // for messages
    runtime::text_setting variable;                // names another library
    std::span<const char* const> files;            // the first one that exists is opened
    runtime::text_setting only_without = nullptr;  // none is, where this one is set
    const char* expected = "";                     // the files, for messages
    int out_of_memory = -1;
    bool (*refuses)(int code) = nullptr;
    std::string (*explain)(int code) = nullptr;
};

/// A library's functions, including those that exist for each dtype.
template <class Functions, template <class> class Typed>
struct library_table : Functions {
    Typed<float> f32;
    Typed<double> f64;
    Typed<complex<float>> c32;
    Typed<complex<double>> c64;

    bool fill(runtime::driver_library& from) {
        return Functions::fill(from) && f32.fill(from) && f64.fill(from) && c32.fill(from) &&
               c64.fill(from);
    }
};

/// The rows of functions that older releases lack, for a library that needs none.
#define SINTER_GPU_NO_NEWER_FUNCTIONS(X)

#define SINTER_GPU_FIND_NEWER(member, name, ...) from.find(name, member);

/// Defines `name`_table, the functions of a library, and `name`_typed, those of T. Members of
/// `newer_rows` are null if the library lacks them.
#define SINTER_GPU_LIBRARY(name, rows, newer_rows, typed_rows, capital_letter)       \
    struct name##_functions {                                                        \
        rows(SINTER_GPU_MEMBER)                                                      \
            newer_rows(SINTER_GPU_MEMBER) bool fill(runtime::driver_library& from) { \
            newer_rows(SINTER_GPU_FIND_NEWER) rows(SINTER_GPU_FIND) return true;     \
        }                                                                            \
    };                                                                               \
    template <class T>                                                               \
    struct name##_typed {                                                            \
        SINTER_GPU_TYPED_FUNCTIONS(typed_rows, capital_letter)                       \
    };                                                                               \
    struct name##_table : library_table<name##_functions, name##_typed> {            \
        static const library_words words;                                            \
        std::string version() const;                                                 \
    };

/// Returns the functions of a table for T.
template <class T, class Table>
const auto& typed(const Table& t) {
    if constexpr (std::is_same_v<T, float>) {
        return t.f32;
    } else if constexpr (std::is_same_v<T, double>) {
        return t.f64;
    } else if constexpr (std::is_same_v<T, complex<float>>) {
        return t.c32;
    } else {
        return t.c64;
    }
}

/// The result of looking for a library. The table lives as long as the process.
template <class Table>
struct found_library {
    const Table* it = nullptr;
    std::string why_not;
    std::string path, version;
};

/// Opens a library and fills its table, once per process. `Table` has `words`, `fill`, which
/// returns false if a function is missing, and `version`.
template <class Table>
const found_library<Table>& find_library() {
    // Leaked: handles are used until the last thread ends.
    static const auto& found = *[] {
        auto* f = new found_library<Table>;
        auto* table = new Table;
        const library_words& words = Table::words;
        const bool none =
            words.only_without && !(runtime::environment().*words.only_without).empty();
        runtime::driver_library library{words.variable,
                                        none ? decltype(words.files)() : words.files};
        if (library && table->fill(library)) {
            f->it = table;
            f->path = library.path();
            f->version = table->version();
        } else {
            f->why_not = library.error();
            delete table;
        }
        return f;
    }();
    return found;
}

}  // namespace sinter::gpu_linalg
