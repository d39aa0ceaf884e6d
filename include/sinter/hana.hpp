// Structs and Boost.Hana's sequences as trees of tensors. Not included by <sinter/sinter.hpp>, as
// it needs Boost.Hana.
//
//     struct parameters {
//         BOOST_HANA_DEFINE_STRUCT(parameters, (Tensor, weight), (Tensor, bias));
//     };
//     parameters g = func::grad(loss)(p, x, y);
#pragma once

#include <sinter/func.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/sequence.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>

namespace sinter::inline v1::func {

/// A struct that is adapted or defined by Boost.Hana: its members in their order.
template <class T>
    requires(boost::hana::Struct<T>::value)
struct tree_traits<T> {
    /// Calls f for each tensor.
    template <class F>
    static void each(T& t, F&& f) {
        boost::hana::for_each(boost::hana::accessors<T>(), [&](auto member) {
            auto& part = boost::hana::second(member)(t);
            tree_traits<std::decay_t<decltype(part)>>::each(part, f);
        });
    }
};

/// A boost::hana::tuple.
template <class T>
    requires(boost::hana::Sequence<T>::value && !boost::hana::Struct<T>::value)
struct tree_traits<T> {
    /// Calls f for each tensor.
    template <class F>
    static void each(T& t, F&& f) {
        boost::hana::for_each(
            t, [&](auto& part) { tree_traits<std::decay_t<decltype(part)>>::each(part, f); });
    }
};

}  // namespace sinter::inline v1::func
