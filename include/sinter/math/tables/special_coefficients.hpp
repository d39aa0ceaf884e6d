// Made by tools/fit_special.py; do not edit.
#pragma once

namespace sinter::math::coefficients {

/// erfinv(x) / x by w = -log(1 - x^2), w <= 4.5; error 2^-54.3
inline constexpr double erfinv_near[] = {
    0x1.c5bf891b4ef6bp-1,   0x1.db29fb2fee56bp-3,   0x1.7a72e72c2e475p-7,  -0x1.321102611b3efp-9,
    -0x1.0c86b704ceef9p-13, 0x1.870137ba622dp-15,   0x1.0f2243dd6dea2p-19, -0x1.0fde0248bd3b6p-20,
    -0x1.3d7bafbb4ae85p-25, 0x1.814216cf834ecp-26,  0x1.24ce99d96aaddp-30, -0x1.9005016e5af55p-31,
    0x1.80d479ee1c685p-34,  -0x1.fcc2bb2e6e9b6p-36, 0x1.c8634ff098aaep-37, -0x1.c2bde18f95822p-39,
    0x1.0bb8a159186a4p-41,  -0x1.93b96c579ef39p-45, 0x1.7bcdd348a9c37p-49, -0x1.930c8131ae3f8p-54,
    0x1.6564aef9a1608p-60,
};

/// erfinv(x) / s by s - 3, s = sqrt(w) in [2.1, 3.95]; error 2^-53.9
inline constexpr double erfinv_middle[] = {
    0x1.e37701db1cd24p-1,   0x1.3eea340b1552p-6,    -0x1.13b7970ff34c3p-8,  0x1.0a5dbe6cd58dp-12,
    0x1.36858d6ec6bbfp-12,  -0x1.69a803f69a874p-13, 0x1.7bf1341a8c46p-15,   0x1.d8a710d5785f9p-19,
    -0x1.34cee08d3fd4ep-17, 0x1.06f029ef480dep-18,  -0x1.1376292891b81p-22, -0x1.3a0d28d3b3b3dp-21,
    0x1.58e8571792026p-22,  -0x1.7b29e2776d3b1p-25, -0x1.437a974854b09p-25, 0x1.bd4c0c4b60d19p-26,
    -0x1.45967ef6200c4p-28, -0x1.a2bd09ebeae72p-29, 0x1.fd40a0819df65p-30,  0x1.185cdf3afa4bcp-37,
    -0x1.65c80afefabeep-33,
};

/// erfinv(x) / s by s - 5, s in [3.9, 6.1]; error 2^-54.9
inline constexpr double erfinv_far[] = {
    0x1.f0a162e906c95p-1,   0x1.083c5e101ff0cp-7,   -0x1.ae0cde4744affp-10, 0x1.2af237bffdeffp-12,
    -0x1.5ed576bcdcc4cp-15, 0x1.29705cd2df8dbp-18,  0x1.beaf49ea7034ep-27,  -0x1.a1431ffb41575p-23,
    0x1.4dbac336d9603p-24,  -0x1.8bf387ffdb0dbp-26, 0x1.99c3b6bc7d3fap-28,  -0x1.7fbd1ab24f155p-30,
    0x1.3d546f6d892fbp-32,  -0x1.8f25977d8c5f9p-35, 0x1.35e7e99f3f45cp-40,  0x1.c66aa9d7c73a6p-39,
    -0x1.231cbacc265eep-39, 0x1.e19517cac9151p-41,  -0x1.7b5a23050b8d4p-43,
};

/// erfinv(x) / s by 15 / s - 1.55, s in [6, 27.7]; error 2^-53.4
inline constexpr double erfinv_last[] = {
    0x1.fa1bd0b1d02eap-1,   -0x1.765a4e4bc5bebp-7,  -0x1.84cab3be47ed6p-10, 0x1.ec0baac734edcp-12,
    -0x1.46d8583fdca11p-14, 0x1.45930b0e9ef9fp-16,  -0x1.ad9769f3354ccp-18, 0x1.3ea3993642f41p-19,
    -0x1.00d16de55273ap-20, 0x1.b9769846ca458p-22,  -0x1.8e830bc18cad6p-23, 0x1.77f1c68f76814p-24,
    -0x1.6cff5cdb29d09p-25, 0x1.4f8d71f89e7d1p-26,  -0x1.47b8759d7aacfp-27, 0x1.1bb34cc06f7c1p-27,
    -0x1.51cb43d126155p-28, -0x1.34600702b6177p-29, 0x1.f8f6d20fd60e1p-30,  0x1.0008642888974p-28,
    -0x1.53b756b37502fp-29, -0x1.b0be10d787895p-30, 0x1.1f0ec7f9cfc8p-30,   0x1.047252d2c0acdp-31,
    -0x1.455d20bc08206p-32,
};

/// sqrt(pi) x exp(x^2) erfc x by 1 / x^2, x >= 28; error 2^-67.4
inline constexpr double erfcx_last[] = {
    0x1p0,
    -0x1.fffffffffffffp-2,
    0x1.7ffffffffe8c5p-1,
    -0x1.dffffff2a577fp0,
    0x1.a3ffe2bce3997p2,
    -0x1.d85f0974945bbp4,
    0x1.3b9b0dce5de9p7,
};

/// log gamma(2 + t) = t (1 - euler + t P(t)), |t| <= 1/2; error 2^-55.2
inline constexpr double lgamma_two[] = {
    0x1.4a34cc4a60fa6p-2,  -0x1.13e001a557607p-4,  0x1.51322ac7d8332p-6,  -0x1.e404fc218f36dp-8,
    0x1.7add6eadfcfbep-9,  -0x1.38ac5c2c3bd32p-10, 0x1.0b36af59562e3p-11, -0x1.d3fd4c213c6ffp-13,
    0x1.a127cda119096p-14, -0x1.78de7730b45bbp-15, 0x1.5808acdee7867p-16, -0x1.3cb7b19286ee3p-17,
    0x1.26210b963f0bap-18, -0x1.1235e6cbc0a7ap-19, 0x1.f0350ad1808a5p-21, -0x1.d292588a82693p-22,
    0x1.270bc950a55e5p-22, -0x1.17d81b44afb67p-23,
};

/// log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + P(1 / x^2) / x, x >= 6.5; error 2^-63.1
inline constexpr double lgamma_far[] = {
    0x1.5555555555555p-4,  -0x1.6c16c16c15e26p-9,  0x1.a01a0193f20ebp-11, -0x1.381370f83c1f7p-11,
    0x1.b94720ba55191p-11, -0x1.f4b4ffa52f73ep-10, 0x1.8a0aae7fe37p-8,    -0x1.23406b6d87ee3p-6,
};

/// trigamma(x) = 1 / x + 1 / (2 x^2) + P(1 / x^2) / x^3, x >= 8; error 2^-62.7
inline constexpr double trigamma_far[] = {
    0x1.5555555555555p-3, -0x1.11111111100fbp-5, 0x1.8618617b7b459p-6, -0x1.1111065760cp-5,
    0x1.36483713ee3adp-4, -0x1.0273c0acea2c5p-2, 0x1.1bff07a3b534cp0,  -0x1.24d1c876e8285p2,
};

/// digamma(x) = log x - 1 / (2 x) - P(1 / x^2) / x^2, x >= 7; error 2^-64.3
inline constexpr double digamma_far[] = {
    0x1.5555555555555p-4, -0x1.111111110fbb1p-7, 0x1.041040f942052p-8, -0x1.11110051f658p-8,
    0x1.f06f452b75268p-8, -0x1.583a247ab9d48p-6, 0x1.4073d1839647cp-4, -0x1.135064a74cbdep-2,
};

/// digamma(x) / (x - root) by x - 1.5, 1 <= x <= 2; error 2^-54.0
inline constexpr double digamma_near[] = {
    0x1.e6f0cbb873616p-1,  -0x1.b1cb63005ee98p-2,  0x1.eca189b8e6f6dp-3,  -0x1.2feeeb98a78eap-3,
    0x1.8512e5903903ep-4,  -0x1.fb44202a2306bp-5,  0x1.4de9aa1779d23p-5,  -0x1.b9f8b11bfd3dp-6,
    0x1.2564717896ec6p-6,  -0x1.863563f44f303p-7,  0x1.03c0adafa529cp-7,  -0x1.5a06a5d662cb4p-8,
    0x1.cd2011454fd05p-9,  -0x1.336dbe66757c8p-9,  0x1.99d3f5c0cad5ep-10, -0x1.0fb38d217b8p-10,
    0x1.6a3e76070c135p-11, -0x1.fd8e50abf2196p-12, 0x1.53b23429da21bp-12, -0x1.2fae5cb379bf2p-13,
    0x1.94e73cc9821e1p-14, -0x1.75c084e78a4cdp-13, 0x1.f255c4568ac4dp-14,
};

/// I0(x) by x^2 / 4, |x| <= 8; error 2^-56.2
inline constexpr double i0_near[] = {
    0x1p0,
    0x1p0,
    0x1p-2,
    0x1.c71c71c71c71cp-6,
    0x1.c71c71c71c71dp-10,
    0x1.23456789abcd9p-14,
    0x1.02e85c0898becp-19,
    0x1.522a43f653ab2p-25,
    0x1.522a43f66652fp-31,
    0x1.0b313288aa584p-37,
    0x1.56018877b43b7p-44,
    0x1.69ca9b2be85d4p-51,
    0x1.4197c09ab0918p-58,
    0x1.e7234e30227f6p-66,
    0x1.3e334c6a83723p-73,
    0x1.69329ab81b047p-81,
    0x1.7099a6665014cp-89,
    0x1.1a2ca347d54cp-97,
    0x1.81195045582f6p-105,
};

/// I1(x) / (x / 2) by x^2 / 4, |x| <= 8; error 2^-54.9
inline constexpr double i1_near[] = {
    0x1p0,
    0x1p-1,
    0x1.5555555555555p-4,
    0x1.c71c71c71c71cp-8,
    0x1.6c16c16c16c17p-12,
    0x1.845c8a0ce5127p-17,
    0x1.27e4fb7789f8dp-22,
    0x1.522a43f654305p-28,
    0x1.2c9758dafccbfp-34,
    0x1.ab81ea75241bbp-41,
    0x1.f17697e304b4p-48,
    0x1.e2637a8923222p-55,
    0x1.8bce6bf3a2ef5p-62,
    0x1.165dae5ada9a1p-69,
    0x1.536551af66e45p-77,
    0x1.695c7cc428093p-85,
    0x1.59e77b84e7fd9p-93,
    0x1.fd4a47e405e26p-102,
    0x1.3dab29014524ap-109,
};

/// exp(-x) sqrt(x) I0(x) by 16 / x - 1, x >= 8; error 2^-55.0
inline constexpr double i0_far[] = {
    0x1.9bd428ad249a5p-2,   0x1.b87969bb93b75p-9,  0x1.1daa72b5e650cp-13,  0x1.75e5ee71edd32p-17,
    0x1.8e513a1d5e8fep-20,  0x1.3f49a6bcf59ep-22,  0x1.7d0f7580f1d16p-24,  0x1.51ced7b9adf1fp-25,
    0x1.7224b189f0a87p-26,  0x1.03896eb1d8c2dp-27, -0x1.ce768f85c7c7dp-28, -0x1.cc90f4653e455p-27,
    -0x1.77cc94084219ep-28, 0x1.0317d16b63f1p-27,  0x1.047453def3d77p-27,  -0x1.df1531adc764cp-29,
    -0x1.a9411a6f11e17p-28, 0x1.9bbbc5d92f715p-30, 0x1.0ab5ef037c295p-28,  -0x1.31c8b62afa4ccp-31,
    -0x1.e8fd9c9ed5f37p-30, 0x1.42a4d00c7647p-33,  0x1.1ce14d748ce71p-31,  -0x1.520fd565ff455p-36,
    -0x1.36e5383ddf364p-34,
};

/// exp(-x) sqrt(x) I1(x) by 16 / x - 1, x >= 8; error 2^-56.9
inline constexpr double i1_far[] = {
    0x1.8ebe783a8403p-2,    -0x1.3f796198ee628p-7,  -0x1.cbc54df1ece76p-13, -0x1.f89c23066d299p-17,
    -0x1.ec8e101744806p-20, -0x1.76137e68fdea3p-22, -0x1.ad8db6e1c9cbap-24, -0x1.727a73aadf06cp-25,
    -0x1.9180f8305e28bp-26, -0x1.21895b67b461cp-27, 0x1.cd8184d8a555p-28,   0x1.e20e7c12bfa43p-27,
    0x1.9f203bf9082cep-28,  -0x1.0630ca315a512p-27, -0x1.1465cde8d826bp-27, 0x1.d434400fad33p-29,
    0x1.bdc8daddc5229p-28,  -0x1.858c3808bae6bp-30, -0x1.16296694e213dp-28, 0x1.1aee2e1a541f8p-31,
    0x1.fce6bc76fc38fp-30,  -0x1.272a4a5160e8dp-33, -0x1.28396cde40d6cp-31, 0x1.33e765253eddap-36,
    0x1.432b1d09e344ep-34,
};

/// where digamma is 0, in three parts
inline constexpr double digamma_root[] = {
    0x1.762d86356be3fp0,
    0x1.b86a722197829p-54,
    0x1.e0d62a6be90c7p-109,
};

}  // namespace sinter::math::coefficients
