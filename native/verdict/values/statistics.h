// Distributions for tolerance intervals.
#pragma once

namespace kernloop::replay {

// The z that a standard normal value exceeds in absolute value with that probability.
double two_sided_normal(double probability);

// The k for which mean ± k standard deviations of the sample hold all but `miss` of a normal distribution, with that
// confidence: Howe (1969). `freedom`: of the standard deviation; may be infinite.
double tolerance_factor(double samples, double freedom, double miss, double confidence);

double digamma(double x);
double trigamma(double x);
double inverse_trigamma(double y);

}  // namespace kernloop::replay
