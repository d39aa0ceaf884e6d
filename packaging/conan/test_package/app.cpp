#include <sinter/sinter.hpp>

#include <iostream>

int main() {
    const sinter::Tensor x = sinter::arange(4, sinter::kFloat32);
    const float sum = ((x + 1) * 2).sum().item<float>();
    std::cout << "sum " << sum << "\n";
    return sum == 20 ? 0 : 1;
}
