// Facts about LibTorch and this CPU, and the precisions that run here.
#pragma once

#include <c10/core/ScalarType.h>

#include <string>
#include <vector>

#include "base/json.h"

namespace transformeter {

/// Versions of LibTorch and oneDNN, instruction set, OpenMP and thread counts, as read back from the libraries.
Json describe_runtime();

/// The main ones in a line: "on LibTorch 2.15.0, oneDNN 3.13.3, instruction set AVX512".
std::string runtime_text();

/// What else decides which kernel of matrix products is fast: the same with MKL's version, and the environment's
/// limits of instruction sets.
std::string kernels_text();

/// The type of activations: "fp32" to at::kFloat and so on, int8 to the type between its products. Throws
/// Error(kUnsupported) for a name that is no precision.
c10::ScalarType activation_type_of(const std::string& precision);
std::string precision_name(c10::ScalarType type);
/// Of a weight in a matrix product: 4, 2 or 1. Throws as activation_type_of.
std::int64_t weight_element_bytes(const std::string& precision);

/// Whether a GPU may round the numbers of fp32 products to TF32: of this process, from now on. LibTorch's own default
/// is no for matrices and yes for convolutions.
void allow_tf32(bool allowed);
bool is_tf32_allowed();

/// Precisions that run on the CPU here.
std::vector<std::string> cpu_precisions();
/// Those with instructions of their own on this processor.
std::vector<std::string> native_cpu_precisions();

}  // namespace transformeter
