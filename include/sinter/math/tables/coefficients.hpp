// Made by tools/fit_math.py; do not edit.
#pragma once

namespace sinter::math::coefficients {

/// sinh r = r + r^3 P(r^2), |r| <= ln2 / 2; error 2^-59.6
inline constexpr double sinh_f64[] = {
    0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a019687p-13,
    0x1.71de3a5ab713dp-19, 0x1.ae642c30edf0dp-26, 0x1.61c041733a645p-33,
};

/// sinh r = r + r^3 P(r^2), |r| <= ln2 / 2; error 2^-30.7
inline constexpr double sinh_f32[] = {
    0x1.555556p-3,
    0x1.1110ep-7,
    0x1.a125f6p-13,
};

/// cosh r = 1 + r^2 / 2 + r^4 P(r^2), |r| <= ln2 / 2; error 2^-64.7
inline constexpr double cosh_f64[] = {
    0x1.5555555555555p-5,  0x1.6c16c16c16c17p-10, 0x1.a01a01a019b51p-16,
    0x1.27e4fb7a2f2e7p-22, 0x1.1eed79d903d0ap-29, 0x1.943327150a131p-37,
};

/// cosh r = 1 + r^2 / 2 + r^4 P(r^2), |r| <= ln2 / 2; error 2^-35.7
inline constexpr double cosh_f32[] = {
    0x1.555556p-5,
    0x1.6c169ap-10,
    0x1.a0f054p-16,
};

/// exp r = 1 + r + r^2 P(r), |r| <= ln2 / 2; error 2^-57.1
inline constexpr double exp_f64[] = {
    0x1.000000000000ep-1,  0x1.555555555555ap-3,  0x1.555555554f65fp-5,  0x1.111111110f3dbp-7,
    0x1.6c16c187681f3p-10, 0x1.a01a01b0e8917p-13, 0x1.a01992798bdf9p-16, 0x1.71ddf5f2c1117p-19,
    0x1.28b3ab8c8829p-22,  0x1.af62ae4ee06f1p-26,
};

/// exp r = 1 + r + r^2 P(r), |r| <= ln2 / 2; error 2^-27.1
inline constexpr double exp_f32[] = {
    0x1.fffffp-2, 0x1.555474p-3, 0x1.556084p-5, 0x1.124b2ap-7, 0x1.659a76p-10,
};

/// the same, relative to r; error 2^-58.0
inline constexpr double expm1_f64[] = {
    0x1p-1,
    0x1.555555555555ap-3,
    0x1.5555555555502p-5,
    0x1.111111110f3dbp-7,
    0x1.6c16c16c2e03dp-10,
    0x1.a01a01b0e8917p-13,
    0x1.a01a0146cda6ep-16,
    0x1.71ddf5f2c1117p-19,
    0x1.27e58c60d2784p-22,
    0x1.af62ae4ee06f1p-26,
    0x1.1e7f27924553ap-29,
};

/// the same, relative to r; error 2^-28.7
inline constexpr double expm1_f32[] = {
    0x1p-1, 0x1.555556p-3, 0x1.5554acp-5, 0x1.1110c6p-7, 0x1.6d769ap-10, 0x1.a152aap-13,
};

/// log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2); error 2^-60.7
inline constexpr double log_f64[] = {
    0x1.5555555555555p-1, 0x1.9999999999998p-2, 0x1.249249249296bp-2,
    0x1.c71c71c649fd9p-3, 0x1.745d17d4c7b78p-3, 0x1.3b137ac246adep-3,
    0x1.111d3a850cbadp-3, 0x1.debb7c9d90ac1p-4, 0x1.e6ce4e57aaee2p-4,
};

/// log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2); error 2^-31.6
inline constexpr double log_f32[] = {
    0x1.555556p-1,
    0x1.9999ecp-2,
    0x1.245c0ap-2,
    0x1.dddaep-3,
};

/// the same as 2 s + s^3 (2/3 + s^2 P(s^2)); error 2^-66.5
inline constexpr double log_tail[] = {
    0x1.999999999999ap-2, 0x1.2492492492491p-2, 0x1.c71c71c71cff7p-3,
    0x1.745d174511201p-3, 0x1.3b13b1bdb9604p-3, 0x1.1110df49dca19p-3,
    0x1.e1f81bf33b7c7p-4, 0x1.ac479c05883d9p-4, 0x1.b8eeb7095f447p-4,
};

/// log(1 + f) = f + f^2 P(f), sqrt(1/2) <= 1 + f <= sqrt(2); error 2^-27.4
inline constexpr double log_near_f32[] = {
    -0x1.fffff8p-2, 0x1.555558p-2, -0x1.000426p-2, 0x1.99a03ap-3,  -0x1.54245p-3,
    0x1.22b626p-3,  -0x1.0f96p-3,  0x1.06c47cp-3,  -0x1.32bf78p-4,
};

/// log2(1 + f) = f / ln 2 + f^2 P(f), sqrt(1/2) <= 1 + f <= sqrt(2); error 2^-29.5
inline constexpr double log2_near_f32[] = {
    -0x1.715476p-1, 0x1.ec7088p-2,  -0x1.7154b6p-2, 0x1.277f3ap-2,  -0x1.ec6f34p-3,
    0x1.a40cb6p-3,  -0x1.6f06dcp-3, 0x1.6033bp-3,   -0x1.571f72p-3, 0x1.872228p-4,
};

/// the same for 3/4 <= 1 + f <= 3/2; error 2^-27.8
inline constexpr double log1p_f32[] = {
    -0x1.fffffep-2, 0x1.55555cp-2,  -0x1.0000d8p-2, 0x1.999766p-3,  -0x1.550604p-3,
    0x1.244ccap-3,  -0x1.054a0cp-3, 0x1.e19edap-4,  -0x1.746f74p-4, 0x1.2e8e26p-5,
};

/// log2(1 + f) = f P(f), sqrt(1/2) <= 1 + f <= sqrt(2); in double, for results in float; error
/// 2^-35.1
inline constexpr double log2_short[] = {
    0x1.71547652a4412p0,  -0x1.715476572dc48p-1, 0x1.ec709ea71c006p-2, -0x1.71546f47b356ep-2,
    0x1.2776589285a11p-2, -0x1.ec735293b160dp-3, 0x1.a63dfdb3efaf8p-3, -0x1.7132058415b46p-3,
    0x1.452fadf63ba17p-3, -0x1.25dc8e5968ffep-3, 0x1.28ddf73d80136p-3, -0x1.21b9d6ff1816dp-3,
    0x1.357807e31cf33p-4,
};

/// 2^r, |r| <= 1/2; in double, for results in float; error 2^-29.0
inline constexpr double exp2_short[] = {
    0x1.ffffffffa70bbp-1, 0x1.62e430d0459p-1,    0x1.ebfbe0aa0c6b7p-3,  0x1.c6aecc557b143p-5,
    0x1.3b29d8b558b88p-7, 0x1.5f48c72938f34p-10, 0x1.446c7dbc66a44p-13,
};

/// the same in float, for results of 11 bits; error 2^-21.8
inline constexpr double log2_brief[] = {
    0x1.715476p0,  -0x1.71552ep-1, 0x1.ec74b8p-2, -0x1.70dd8p-2,
    0x1.263fb4p-2, -0x1.fec4p-3,   0x1.dba032p-3, -0x1.228ffap-3,
};

/// 2^r, |r| <= 1/2; in float, for results of 11 bits; error 2^-18.5
inline constexpr double exp2_brief[] = {
    0x1.000002p0, 0x1.62e0c2p-1, 0x1.ebf8a8p-3, 0x1.ca1d3p-5, 0x1.3d237ep-7,
};

/// sin r = r + r^3 P(r^2), |r| <= pi / 4; error 2^-57.3
inline constexpr double sin_f64[] = {
    -0x1.5555555555555p-3,  0x1.111111111111p-7,   -0x1.a01a01a019936p-13, 0x1.71de3a54605eep-19,
    -0x1.ae64541266378p-26, 0x1.61217ec01749dp-33, -0x1.ab17a79237a19p-41,
};

/// sin r = r + r^3 P(r^2), |r| <= pi / 4; error 2^-35.8
inline constexpr double sin_f32[] = {
    -0x1.555555545dd83p-3,
    0x1.11110deeb33b2p-7,
    -0x1.a013a6edc8f34p-13,
    0x1.6dbdd26f56d2dp-19,
};

/// cos r = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi / 4; error 2^-60.0
inline constexpr double cos_f64[] = {
    0x1.5555555555555p-5,  -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d0ap-16, -0x1.27e4fb7712bdfp-22,
    0x1.1eed8deb6d561p-29, -0x1.9394b9c9c20a4p-37, 0x1.ab783376962cfp-45,
};

/// cos r = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi / 4; error 2^-40.1
inline constexpr double cos_f32[] = {
    0x1.5555555502be6p-5,
    -0x1.6c16bf5495185p-10,
    0x1.a015c40ec65ecp-16,
    -0x1.25242a3a17327p-22,
};

/// the same in float, |r| <= pi / 4 + 1/200; error 2^-27.8
inline constexpr double sin_near_f32[] = {
    -0x1.555544p-3,
    0x1.1106d8p-7,
    -0x1.992526p-13,
};

/// the same in float, |r| <= pi / 4 + 1/200; error 2^-33.1
inline constexpr double cos_near_f32[] = {
    0x1.55554ap-5,
    -0x1.6c0c22p-10,
    0x1.99e4dep-16,
};

/// sin r = r + r^3 P(r^2), for results of 11 bits; error 2^-19.0
inline constexpr double sin_brief[] = {
    -0x1.5543ccp-3,
    0x1.0b6f5cp-7,
};

/// cos r = 1 - r^2 / 2 + r^4 P(r^2), likewise; error 2^-23.7
inline constexpr double cos_brief[] = {
    0x1.554982p-5,
    -0x1.65c2bp-10,
};

/// atan t = t + t^3 P(t^2), |t| <= tan(pi / 8); error 2^-58.2
inline constexpr double atan_f64[] = {
    -0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7dcp-3, 0x1.c71c71c303dbbp-4,
    -0x1.745d165dc9713p-4, 0x1.3b1392d519db1p-4, -0x1.110e87b4357d2p-4, 0x1.e19a0bfa3eef9p-5,
    -0x1.ac7a5a79b3f26p-5, 0x1.74dccfb93fffp-5,  -0x1.1b311bb48c215p-5, 0x1.0acd9e91a5a35p-6,
};

/// atan t = t + t^3 P(t^2), |t| <= tan(pi / 8); error 2^-33.6
inline constexpr double atan_f32[] = {
    -0x1.5555554c099a8p-2, 0x1.99997b10270eap-3,  -0x1.248a16707762dp-3,
    0x1.c57b9120eab27p-4,  -0x1.6143778c10af3p-4, 0x1.9d86ebba846aap-5,
};

/// asin s = s + s^3 P(s^2), |s| <= 1/2; error 2^-58.6
inline constexpr double asin_f64[] = {
    0x1.5555555555555p-3,  0x1.3333333333388p-4, 0x1.6db6db6dac1c7p-5, 0x1.f1c71c7a53dc4p-6,
    0x1.6e8ba123ad37cp-6,  0x1.1c4efce873222p-6, 0x1.c990ac55b530cp-7, 0x1.7b028a13eab06p-7,
    0x1.3b498006cbcc7p-7,  0x1.3164456bbeec3p-7, 0x1.8ef81e87a123cp-9, 0x1.406bebb653912p-6,
    -0x1.3b50757ac7f76p-6, 0x1.e5336d3c9f48bp-6,
};

/// asin s = s + s^3 P(s^2), |s| <= 1/2; error 2^-38.0
inline constexpr double asin_f32[] = {
    0x1.55555554ee3e2p-3, 0x1.333334ced83b7p-4, 0x1.6db5cfa3638ep-5,  0x1.f208ef2c8ddbcp-6,
    0x1.6a9dfefc48797p-6, 0x1.3c519ed9cd24bp-6, 0x1.64a91947ce695p-8, 0x1.e02826f434d47p-6,
};

/// (1 + 2 x) exp(x^2) erfc x by q = (x - 4) / (x + 4), x >= 15/32; error 2^-54.0
inline constexpr double erfc_f64[] = {
    0x1.3ba5916e9fd7fp0,    -0x1.1df1ad154a28dp-3,  0x1.f7f5df66fd736p-7,   0x1.16ecefcfa52a3p-4,
    -0x1.9ddb23c3e8c18p-4,  0x1.7fee004e14ec1p-4,   -0x1.0fb06dfe519dbp-4,  0x1.3079edf619603p-5,
    -0x1.09623883356a5p-6,  0x1.49c672ab6b44bp-8,   -0x1.8d4a9bd3cd519p-11, -0x1.a1df45b51057ep-13,
    0x1.3be0645f948ecp-13,  -0x1.9954c53a7b772p-16, -0x1.788c8b75dbf23p-17, 0x1.7ef42686512f9p-18,
    0x1.3b9274ae7c774p-22,  -0x1.b7f2202cd3986p-21, 0x1.3f92fcfdfef5dp-24,  0x1.bb5d55a9c6496p-24,
    -0x1.2fa55b8fee326p-26, -0x1.4b6b118311dbbp-27, 0x1.de533c95038bep-30,
};

/// exp(x^2 / 2) ndtr(-x) by v = 1 / (x + 3.4375), 0 <= x <= 14.5; in double, for results in float;
/// error 2^-29.6
inline constexpr double normal_tail[] = {
    -0x1.17be1d645cf2dp-19, 0x1.98bab6bfa781dp-2, 0x1.5cbc034129f53p0,   0x1.231a7b4735d4fp2,
    0x1.078f96546846cp3,    0x1.1e5f3c318e879p6,  -0x1.15a71b04dfdd9p8,  0x1.ab1ed4e303ecap10,
    -0x1.60e07e5b7b1fcp12,  0x1.08a95940f7f5p13,  -0x1.32001065de0f5p12,
};

/// erf x = x + x P(x^2), |x| <= 31/32; error 2^-30.0
inline constexpr double erf_near_f32[] = {
    0x1.06eba8p-3, -0x1.812744p-2, 0x1.ce2e9ep-4, -0x1.b82186p-6,
    0x1.55d666p-8, -0x1.b93b8p-11, 0x1.c4a1ep-14, -0x1.18103cp-17,
};

/// erf x = 1 - exp(x P(x) - x), 31/32 <= x <= 4; error 2^-34.9
inline constexpr double erf_far_f32[] = {
    -0x1.07210ep-3,  -0x1.45a3fap-1, -0x1.ab5c1cp-4,  0x1.5f68b2p-6,  -0x1.fc9ff2p-10,
    -0x1.d7cb0ep-12, 0x1.a20c8ep-13, -0x1.06c9eap-15, 0x1.036faep-19,
};

/// exp(r / 2) = 1 + r P(r), |r| <= ln2; error 2^-54.9
inline constexpr double root_exp_f64[] = {
    0x1p-1,
    0x1.000000000000ep-3,
    0x1.5555555555447p-6,
    0x1.555555554f65fp-9,
    0x1.1111111136bbbp-12,
    0x1.6c16c187681f3p-16,
    0x1.a01a0110316aap-20,
    0x1.a01992798bdf9p-24,
    0x1.71df20ec51c79p-28,
    0x1.28b3ab8c8829p-32,
    0x1.adc31fc09d619p-37,
};

/// exp(r / 2) = 1 + r P(r), |r| <= ln2; error 2^-26.0
inline constexpr double root_exp_f32[] = {
    0x1p-1, 0x1p-3, 0x1.555402p-6, 0x1.5554acp-9, 0x1.12711p-12, 0x1.6d769ap-16,
};

/// 2^(r / 2) = 1 + r P(r), |r| <= 1; error 2^-55.1
inline constexpr double root_exp2_f64[] = {
    0x1.62e42fefa39fp-2,   0x1.ebfbdff82c5a9p-5,  0x1.c6b08d7049f5ep-8,  0x1.3b2ab6fb9f81bp-11,
    0x1.5d87fe78d608p-15,  0x1.4309131062fc6p-19, 0x1.ffcbfba92be82p-24, 0x1.62bfc42ed87e9p-28,
    0x1.b5264c5ca26d5p-33, 0x1.e620ae8d3a456p-38, 0x1.e8137d2454deap-43,
};

/// 2^(r / 2) = 1 + r P(r), |r| <= 1; error 2^-26.1
inline constexpr double root_exp2_f32[] = {
    0x1.62e43p-2, 0x1.ebfbep-5, 0x1.c6aeccp-8, 0x1.3b2a1cp-11, 0x1.5f48d8p-15, 0x1.44401p-19,
};

/// sinh x = x + x^3 P(x^2), |x| <= 1; error 2^-56.4
inline constexpr double sinh_below_one_f64[] = {
    0x1.5555555555555p-3,  0x1.11111111110fdp-7,  0x1.a01a01a01ee7ap-13, 0x1.71de3a4e14331p-19,
    0x1.ae6460fbb232dp-26, 0x1.611cb2cbad2e9p-33, 0x1.b412579180c3cp-41,
};

/// sinh x = x + x^3 P(x^2), |x| <= 1; error 2^-23.6
inline constexpr double sinh_below_one_f32[] = {
    0x1.555562p-3,
    0x1.1103e4p-7,
    0x1.a8dc4ap-13,
};

/// log(1 + w) = w P(w - 1/2), 0 <= w <= 1; error 2^-56.0
inline constexpr double log1p_unit_f64[] = {
    0x1.9f323ecbf984cp-1,  -0x1.2773a5da90bd5p-2,  0x1.0f95b3dc0a0efp-3,  -0x1.1540afd54c9cap-4,
    0x1.2bec9fba55d36p-5,  -0x1.50abf6ca80cafp-6,  0x1.83c50b0cea5cp-7,   -0x1.c72c6447965fdp-8,
    0x1.0f1191e3d97e1p-8,  -0x1.469c50c0c0bedp-9,  0x1.8d3facf788428p-10, -0x1.e6fd26937213bp-11,
    0x1.2c724fef59ef6p-11, -0x1.740e369b96b6ep-12, 0x1.cfbf783d89ffdp-13, -0x1.2a02988bb2a8ap-13,
    0x1.777854be8e55ep-14, -0x1.7803620a65cbap-15, 0x1.d4f50b986c469p-16, -0x1.41d58ac74ce1fp-15,
    0x1.9e1da529020cbp-16,
};

/// log(1 + w) = w P(w - 1/2), 0 <= w <= 1; error 2^-25.0
inline constexpr double log1p_unit_f32[] = {
    0x1.9f323ep-1,  -0x1.2773a4p-2, 0x1.0f9618p-3, -0x1.1541c2p-4, 0x1.2bf076p-5,
    -0x1.50921ap-6, 0x1.7f2a52p-7,  -0x1.c3e8p-8,  0x1.4a8ec8p-8,  -0x1.878636p-9,
};

/// log2(1 + f) = f P(f), sqrt(1/2) <= 1 + f <= sqrt(2); error 2^-25.2
inline constexpr double log2_fast_f32[] = {
    0x1.715476p0,   -0x1.71547p-1, 0x1.ec70aap-2, -0x1.715a7p-2, 0x1.277a58p-2,
    -0x1.eab75ep-3, 0x1.a38b26p-3, -0x1.87f7fp-3, 0x1.7a6d18p-3, -0x1.b8619p-4,
};

/// exp(x^2 / 2) ndtr(-x) (x + 5) by q = (x - 5) / (x + 5), 0 <= x <= 38.6; error 2^-55.6
inline constexpr double tail_ratio_f64[] = {
    0x1.89d3abe1f95aep-1,   -0x1.54ad03f27ca18p-1, 0x1.fb31653876f69p-2,   -0x1.410ed5f87594p-2,
    0x1.51f6329f024b3p-3,   -0x1.1b1c254ca47cp-4,  0x1.54b4d4f43efbp-6,    -0x1.88590e9761fa4p-9,
    -0x1.a250372007871p-11, 0x1.1daf1ac443e17p-11, -0x1.f214b29d00225p-15, -0x1.a1700d0abd546p-15,
    0x1.17e0001353012p-16,  0x1.0b14a18b82257p-18, -0x1.73f2e6f9c8fdp-19,  -0x1.67532109f3757p-22,
    0x1.d55ac2721ad24p-22,  0x1.5af08a935352cp-25, -0x1.30e33d393c2c8p-24, -0x1.307a299f558ap-27,
    0x1.840adc8752d56p-27,  0x1.50a6016e8ac8cp-29, -0x1.62386e2acbff3p-30, -0x1.f0e368678224fp-32,
};

/// exp(x^2 / 2) ndtr(-x) (x + 4) by q = (x - 4) / (x + 4), 0 <= x <= 14.5; error 2^-25.7
inline constexpr double tail_ratio_f32[] = {
    0x1.82b4bcp-1,  -0x1.373e3ap-1,  0x1.8c6d9cp-2,   -0x1.7dff58p-3,
    0x1.eed0aep-5,  -0x1.edef9cp-8,  -0x1.cb5926p-9,  0x1.a6ebb4p-10,
    0x1.7a01acp-13, -0x1.8e1786p-13, -0x1.0da362p-15,
};

/// h = tanh(x / 2) = x P(x^2) / Q(x^2), up to where tanh x is 1; as 2 h / (1 + h^2); error 2^-57.6
inline constexpr double half_tanh_f64_top[] = {
    0x1.ccccccccccccdp-1, 0x1.0d06a1a297734p-5,  0x1.2dc51847a99a3p-12, 0x1.db8426b875fb5p-21,
    0x1.17ccfe508a17p-30, 0x1.9de59a69f1b91p-42, 0x1.586c51c5d9127p-56,
};

inline constexpr double half_tanh_f64_bottom[] = {
    0x1.ccccccccccccdp0,   0x1.b9b684047eeccp-3,  0x1.d12a35f347ad3p-9,  0x1.2e9ff53b69b46p-16,
    0x1.24f7430f4eb2dp-25, 0x1.92d1bc7cf03f9p-36, 0x1.0fe0151626948p-48,
};

/// h = tanh(x / 2) = x P(x^2) / Q(x^2), up to where tanh x is 1; as 2 h / (1 + h^2); error 2^-26.6
inline constexpr double half_tanh_f32_top[] = {
    0x1.ccccccp-1,
    0x1.b6f938p-6,
    0x1.aefffep-14,
};

inline constexpr double half_tanh_f32_bottom[] = {
    0x1.ccccccp0,
    0x1.a0f176p-3,
    0x1.1c9088p-9,
    0x1.2892ecp-19,
};

/// h = x P(x^2) / Q(x^2), erf x = 2 h / (1 + h^2), up to where that is 1; error 2^-24.3
inline constexpr double half_erf_f32_top[] = {
    0x1.f811cep-1,
    0x1.08c104p-2,
    0x1.cc346cp-6,
    0x1.20f8cap-9,
};

inline constexpr double half_erf_f32_bottom[] = {
    0x1.beb852p0, 0x1.f01c82p-2, 0x1.59ad08p-4, 0x1.583c46p-7, 0x1.67eb48p-13,
};

}  // namespace sinter::math::coefficients
