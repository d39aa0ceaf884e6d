// External memory behaves as if nothing were lazy: operations on it run at their line, and an
// expression has read it when its statement ends.
#include "support.hpp"

#include <iostream>
#include <vector>

using namespace sinter;

namespace {

/// The vector dies with the function; the result survives.
Tensor doubled_values() {
    std::vector<float> local = {1, 2, 3};
    return from_blob(local.data(), {3}) * 2;
}

}  // namespace

int main() {
    // A buffer of the program, refilled again and again.
    std::vector<float> buffer(4);
    Tensor view = from_blob(buffer.data(), {4}), total = zeros({4});
    for (int i = 1; i <= 3; ++i) {
        for (float& v : buffer) v = static_cast<float>(i);
        total = total + view;  // reads now: the next iteration overwrites the buffer
    }
    std::cout << "1 + 2 + 3 = " << total[0].item<float>() << "\n";
    example::check(total[0].item<float>() == 6, "every turn's values were read");

    view.mul_(10);
    std::cout << "30 = " << buffer[0] << ", with nobody asking for it\n";
    example::check(buffer[0] == 30, "a write has landed when the call returns");

    example::check(doubled_values()[2].item<float>() == 6, "the vector was read before it died");

    // A mutable pointer makes a tensor's memory external for good, and stays valid.
    Tensor a = arange(4, kFloat32);
    float* p = a.data_ptr<float>();
    p[0] = 7;
    a.add_(1);
    std::cout << "8 = " << p[0] << ", through the pointer\n";
    example::check(p[0] == 8 && p == a.data_ptr<float>(), "the pointer sees later writes");

    // A read-only pointer does not: a stays lazy, and the pointer is valid until a is written.
    Tensor b = ones({4}) + 1;
    const float* q = b.const_data_ptr<float>();
    example::check(q[3] == 2, "handing out a pointer computes the value");
    reset_stats();
    Tensor c = b * 3;
    example::check(stats().flushed(flush_reason::external) == 0, "reading b is still lazy");
    example::check(c[0].item<float>() == 6, "3 * 2");

    // The caller promises not to change these bytes: reads are lazy, writes throw.
    static const float fixed[] = {1, 2};
    Tensor constant = from_blob(static_cast<const void*>(fixed), {2});
    std::cout << "3 = " << constant.sum().item<float>() << "\n";
    bool refused = false;
    try {
        constant.add_(1);
    } catch (const Error& e) {
        refused = true;
        std::cout << e.what() << "\n";
    }
    example::check(refused, "constant memory is not written");

    // The deleter runs when the last view dies, whoever has read the memory.
    int deleted = 0;
    {
        Tensor part;
        {
            auto* memory = new float[6]{0, 1, 2, 3, 4, 5};
            Tensor whole = from_blob(memory, {6}, [&deleted](void* m) {
                delete[] static_cast<float*>(m);
                ++deleted;
            });
            part = whole.slice(0, 4);
        }
        example::check(deleted == 0 && part[1].item<float>() == 5, "a view keeps the memory");
    }
    example::check(deleted == 1, "the last view lets it go");
}
