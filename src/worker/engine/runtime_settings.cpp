// What is read back comes from LibTorch and the kernel, not from what was asked, where they can tell.
#include "engine/runtime_settings.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include "device/runtime.h"
#include "engine/capabilities.h"
#include "machine/limits.h"

namespace transformeter {

void set_runtime(const Case& request) {
  at::Context& libtorch = at::globalContext();
  allow_tf32(request.precision == "tf32");
  libtorch.setUserEnabledMkldnn(request.one_dnn);
  libtorch.setDeterministicAlgorithms(request.deterministic, /*warn_only=*/false);
  libtorch.setDeterministicCuDNN(request.deterministic);
}

Json runtime_settings(const Case& request, const std::string& products) {
  Json effective = Json::object();
  effective["instruction_set"] = describe_runtime().value("instruction_set", Json());
  if (const auto limit = memory_limit_bytes()) effective["memory_limit"] = *limit;
  effective["precision_native"] = inference_capabilities().is_native("precision", products, request.device);
  effective["engine"] = request.engine;
  effective["one_dnn"] = at::globalContext().userEnabledMkldnn() ? "on" : "off";
  effective["products"] = request.products;
  effective["fusion"] = request.fused ? "fused" : "none";
  effective["threads"] = at::get_num_threads();
  effective["interop_threads"] = at::get_num_interop_threads();
  return effective;
}

std::vector<Conflict> runtime_conflicts() {
  return {{{{"one_dnn", {"off"}}, {"weights", {"prepacked"}}},
           "weights prepacked have kernels of their own, whatever one_dnn says; use weights plain"},
          {{{"device", {"cuda"}}, {"one_dnn", {"off"}}}, "one_dnn off has no effect on a GPU"},
          {{{"products", {"trial", "onednn", "mkl"}}, {"device", {"cuda"}}}, "products names kernels of the CPU"}};
}

}  // namespace transformeter
