// Sharpens a photograph and raises its contrast. Between the bytes of input and output there are
// only expressions. Writes before.png and after.png into the current folder.
#include "png.hpp"
#include "support.hpp"

#include <iostream>

using namespace sinter;

namespace {

/// sRGB to linear light and back, both for values from 0 to 1.
Tensor decode(const Tensor& v) {
    return where(v <= 0.04045, v / 12.92, pow((v + 0.055) / 1.055, 2.4));
}
Tensor encode(const Tensor& v) {
    return where(v <= 0.0031308, v * 12.92, 1.055 * pow(v, 1 / 2.4) - 0.055);
}

/// Returns the pixels without a border of one, moved by (dy, dx), as a view.
Tensor moved(const Tensor& t, int64_t dy, int64_t dx) {
    return t.slice(0, 1 + dy, t.size(0) - 1 + dy).slice(1, 1 + dx, t.size(1) - 1 + dx);
}

Tensor enhance(const Tensor& photo) {
    Tensor linear = decode(photo.to(kFloat32) / 255.0);
    Tensor luminance =
        0.2126 * linear.select(2, 0) + 0.7152 * linear.select(2, 1) + 0.0722 * linear.select(2, 2);
    Tensor lightness = encode(luminance);

    // Unsharp mask: add the difference between the picture and a 3x3 blur.
    Tensor middle = moved(lightness, 0, 0);
    Tensor sides = moved(lightness, -1, 0) + moved(lightness, 1, 0) + moved(lightness, 0, -1) +
                   moved(lightness, 0, 1);
    Tensor corners = moved(lightness, -1, -1) + moved(lightness, -1, 1) + moved(lightness, 1, -1) +
                     moved(lightness, 1, 1);
    Tensor sharp = middle + 1.5 * (middle - (4 * middle + 2 * sides + corners) / 16);

    // Contrast: set the mean to 0.5 and the deviation to 0.25.
    Tensor standard = (sharp - sharp.mean()) / sharp.std();
    Tensor wanted = (0.5 + 0.25 * standard).clamp(0, 1);

    // Scale the colours by the change of luminance.
    Tensor gain = decode(wanted) / maximum(moved(luminance, 0, 0), 1e-4);
    Tensor colours = (moved(linear, 0, 0) * gain.unsqueeze(2)).clamp(0, 1);
    return (255 * encode(colours)).round().to(kUInt8);
}

double mean_of(const Tensor& t) { return t.to(kFloat64).mean().item<double>(); }
double deviation_of(const Tensor& t) { return t.to(kFloat64).std().item<double>(); }

}  // namespace

int main() {
    Tensor photo = load_npy(example::data("face.npy"));

    example::print_times([&] { enhance(photo).eval(); });

    Tensor result = enhance(photo);
    std::cout << "\n" << explain(result);

    result.eval();
    example::write_png("before.png", photo);
    example::write_png("after.png", result);
    std::printf("\n           pixels         mean   deviation\n");
    std::printf("before.png %lld x %lld   %8.4f   %8.4f\n", static_cast<long long>(photo.size(1)),
                static_cast<long long>(photo.size(0)), mean_of(photo), deviation_of(photo));
    std::printf("after.png  %lld x %lld   %8.4f   %8.4f\n", static_cast<long long>(result.size(1)),
                static_cast<long long>(result.size(0)), mean_of(result), deviation_of(result));

    // Plain f64 loops over the pixels with the same formulas give this mean and deviation.
    example::check(std::abs(mean_of(result) - 121.2948) < 1e-3, "the mean of the picture");
    example::check(std::abs(deviation_of(result) - 65.5534) < 1e-3, "its deviation");

    ModeGuard eager(Mode::eager);
    example::check(equal(enhance(photo), result), "lazy and eager give the same bytes");
}
