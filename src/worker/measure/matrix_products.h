// The ways in which LibTorch multiplies matrices on this device, for the search of the fastest.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace transformeter {

/// [M, K] times [K, N], as a linear layer of K inputs and N outputs on M tokens.
struct ProductShape {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;

  /// A multiply-add counts 2, of whatever numbers.
  double operation_count() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
  }
};

struct MatrixProduct {
  std::string kernel;  // "linear"
  /// Makes the operands; what it returns multiplies them once, and keeps them. Throws a std::exception where this
  /// build of LibTorch, or this processor, does not have the kernel; so may the call.
  std::function<std::function<void()>(const ProductShape&)> prepare;
};

/// On the CPU plain and with prepacked weights, on a GPU plain; a call returns when the work is handed over. Throws
/// Error(kUnsupported) for a precision that has none.
std::vector<MatrixProduct> cpu_matrix_products(std::string_view precision);
std::vector<MatrixProduct> gpu_matrix_products(std::string_view precision, c10::Device device);

/// Precisions that the CPU multiplies in, and those of them with instructions of their own.
std::vector<std::string> product_precisions();
std::vector<std::string> native_product_precisions();
/// The same of the GPUs here; empty where there is none.
std::vector<std::string> gpu_product_precisions();
std::vector<std::string> native_gpu_product_precisions();

}  // namespace transformeter
