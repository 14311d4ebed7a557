// Names as CUPTI gave them on an H200.
#include "measure/kernel_name.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(KernelName, LeavesOutParametersAndNamespacesOfLibTorch) {
  EXPECT_EQ(kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
                        "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"),
            "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, std::array<char*, 3ul> >");
  EXPECT_EQ(
      kernel_name("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>(int, "
                  "float, float const*, float const*, float const*, float*, float*, float*)"),
      "vectorized_layer_norm_kernel<float, float, false>");
  EXPECT_EQ(kernel_name("fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, "
                        "cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)"),
            "fmha_cutlassF_f32_aligned_64x64_rf_sm80");
}

TEST(KernelName, KeepsWhatTellsLambdasApart) {
  EXPECT_EQ(
      kernel_name("void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::"
                  "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::"
                  "{lambda()#7}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&, "
                  "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
                  "const::{lambda()#7}::operator()() const::{lambda(float)#1} const&)::{lambda(int)#1}>(int, int)"),
      "elementwise_kernel<128, 2, gpu_kernel_impl_nocast<direct_copy_kernel_cuda::{lambda()#3}::{lambda()#7}::"
      "{lambda(float)#1}>::{lambda(int)#1}>");
}

TEST(KernelName, LeavesOthersAsTheyAre) {
  for (const char* name :
       {"Memcpy DtoD (Device -> Device)", "Memset (Device)", "sm90_xmma_gemm_bf16bf16_tilesize32x32", "", "(", "a)b"}) {
    const std::string expected = std::string(name) == "(" ? "" : name;
    EXPECT_EQ(kernel_name(name), expected);
  }
}

}  // namespace
}  // namespace transformeter
