// What ran a model in LibTorch's place, as the library that did it tells: no operator of LibTorch can be watched then.
#pragma once

#include <string>
#include <vector>

#include "schema/linear_types.h"

namespace transformeter {

struct ModelReadback {
  std::string library;           // with its version: "OpenVINO 2026.4.1"
  std::string precision;         // of most operations of products with weights, in the words of the setting
  std::string linear_kernel;     // likewise, as the library calls it
  std::string attention_kernel;  // as the library calls it; "own" where it does not say
  std::vector<LinearType> linear_types;
  int threads = 0;
};

}  // namespace transformeter
