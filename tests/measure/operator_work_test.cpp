// FLOPs and bytes of calls, by hand.
#include "measure/operator_work.h"

#include <gtest/gtest.h>

namespace transformeter {
namespace {

TEST(OperatorWork, CountsAProductAndWhatItReadsAndWrites) {
  const OperatorWork work = work_of({"aten::addmm", {{5}, {3, 4}, {4, 5}}, {"float", "float", "float"}});
  EXPECT_EQ(work.flops, 2 * 3 * 4 * 5);
  EXPECT_EQ(work.bytes, 4 * (3 * 4 + 4 * 5 + 3 * 5));
}

TEST(OperatorWork, CountsAPackedWeightWhoseTypeIsHidden) {
  const OperatorWork work = work_of(
      {"mkldnn::_linear_pointwise", {{2, 3, 4}, {5, 4}, {5}, {}, {}, {}}, {"c10::BFloat16", "", "", "", "", ""}});
  EXPECT_EQ(work.flops, 2 * 6 * 4 * 5);
  EXPECT_EQ(work.bytes, 2 * (6 * 4 + 4 * 5 + 6 * 5));
}

TEST(OperatorWork, FindsTheWeightBehindAResidual) {
  const OperatorWork work = work_of(
      {"mkldnn::_linear_pointwise", {{3, 4}, {3, 5}, {5, 4}, {5}, {}}, {"float", "float", "float", "float", ""}});
  EXPECT_EQ(work.flops, 2 * 3 * 4 * 5);
}

TEST(OperatorWork, CountsBothProductsOfAttention) {
  const OperatorWork work = work_of(
      {"transformeter::tiled_attention", {{2, 3, 7, 8}, {2, 3, 9, 8}, {2, 3, 9, 8}}, {"float", "float", "float"}});
  EXPECT_EQ(work.flops, 2 * (2 * 2 * 3 * 7 * 9 * 8));
}

TEST(OperatorWork, QuantizingWritesOneByteAValue) {
  EXPECT_EQ(work_of({"transformeter::quantize_rows", {{3, 4}}, {"float"}}).bytes, 4 * 12 + 12);
}

TEST(OperatorWork, KnowsNothingOfOtherOperatorsAndOfMalformedCalls) {
  EXPECT_EQ(work_of({"aten::linear", {{3, 4}, {5, 4}}, {"float", "float"}}).flops, 0) << "addmm in it has the work";
  for (const char* name : {"aten::addmm", "aten::mm", "aten::bmm", "mkldnn::_linear_pointwise", "aten::index_select",
                           "transformeter::tiled_attention", "aten::mkldnn_convolution", "aten::gelu"}) {
    EXPECT_EQ(work_of({name, {}, {}}).flops, 0) << name;
    EXPECT_EQ(work_of({name, {{}, {}, {}}, {"float", "float", "float"}}).flops, 0) << name;
    EXPECT_EQ(work_of({name, {{0, 0}, {0, 0}, {0, 0}}, {"float"}}).flops, 0) << name;
  }
}

TEST(OperatorWork, OfAttentionBackwardIsFiveProductsForTwo) {
  const std::vector<std::vector<std::int64_t>> shapes{{2, 4, 8, 16}, {2, 4, 8, 16}, {2, 4, 8, 16}};
  const std::vector<std::string> types{"float", "float", "float"};
  const OperatorWork forward = work_of({"transformeter::dropped_attention", shapes, types});
  const OperatorWork backward = work_of({"transformeter::dropped_attention_backward", shapes, types});
  EXPECT_EQ(forward.flops, 4.0 * 2 * 4 * 8 * 8 * 16);
  EXPECT_EQ(backward.flops, 2.5 * forward.flops);
  std::vector<std::vector<std::int64_t>> behind{{2, 4, 8, 16}};
  behind.insert(behind.end(), shapes.begin(), shapes.end());
  EXPECT_EQ(
      work_of(
          {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", behind, {"float", "float", "float", "float"}})
          .flops,
      backward.flops);
}

TEST(OperatorWork, OfAttentionOnAGpuIsThatOfTheSameAttention) {
  const std::vector<std::vector<std::int64_t>> shapes{{2, 4, 8, 16}, {2, 4, 8, 16}, {2, 4, 8, 16}};
  const std::vector<std::vector<std::int64_t>> heads_inside{{2, 8, 4, 16}, {2, 8, 4, 16}, {2, 8, 4, 16}};
  const std::vector<std::string> types{"c10::Half", "c10::Half", "c10::Half"};
  const double flops = work_of({"transformeter::tiled_attention", shapes, types}).flops;
  EXPECT_EQ(work_of({"aten::_flash_attention_forward", heads_inside, types}).flops, flops);
  EXPECT_EQ(work_of({"aten::_efficient_attention_forward", heads_inside, types}).flops, flops);
  EXPECT_EQ(work_of({"aten::_cudnn_attention_forward", shapes, types}).flops, flops);
  EXPECT_EQ(work_of({"aten::_scaled_dot_product_flash_attention", shapes, types}).flops, 0) << "the call inside it";
  EXPECT_EQ(work_of({"aten::_flash_attention_forward", {{9, 4, 16}, {9, 4, 16}, {9, 4, 16}}, types}).flops, 0)
      << "of packed rows, whose lengths it does not show";
}

TEST(OperatorWork, NamesKernelsByWhatTheyDo) {
  EXPECT_EQ(readable_name("transformeter::tiled_attention"), "fused attention (tiled)");
  EXPECT_EQ(readable_name("onednn::qlinear_pointwise"), "linear int8 (oneDNN)");
  EXPECT_EQ(readable_name("aten::addmm"), "aten::addmm");
  EXPECT_EQ(readable_name("torch::autograd::AccumulateGrad"), "AccumulateGrad");
  EXPECT_EQ(readable_name("torch::autograd::CppNode<transformeter::(anonymous namespace)::TrainedProduct>"),
            "TrainedProduct (backward)");
}

}  // namespace
}  // namespace transformeter
