// The result of twenty statements, in one loop.
#pragma once

#include "bench/loops/kit.hpp"

namespace bench {

template <class T, class Math>
void twenty_lines(const loop_arguments& k) {
    const T *x = k.in<T>(0), *y = k.in<T>(1);
    kit<T, Math>::map(k.out<T>(), k.sizes[0], k.threads, k.stream,
                      [=](int64_t begin, int64_t end, T* __restrict d) {
                          BENCH_NO_ALIAS
                          for (int64_t i = begin; i < end; ++i) {
                              T t = x[i];
                              for (int line = 0; line < 10; ++line) t = t * T(0.75) + y[i];
                              d[i - begin] = t;
                          }
                      });
}

template <class Math>
void add_statements(std::vector<loop_row>& to) {
    to.push_back(
        {"20_statements", twenty_lines<float, Math>, twenty_lines<double, Math>, "", true});
}

}  // namespace bench
