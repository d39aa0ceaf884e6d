#include <sinter/sinter.hpp>

#include <iostream>

double ported_sum(const sinter::Tensor& t);

int main() {
    sinter::Tensor a = sinter::tensor({1.0, 2.0, 3.0});
    sinter::Tensor b = sinter::tensor({10.0, 20.0, 30.0});
    sinter::Tensor c = a + b;
    std::cout << "sum " << ported_sum(c) << "\n";
}
