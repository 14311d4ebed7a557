// Files made by scripts/references/graph_file_reference.py, held to Transformers' answers of the model in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json_file.h"
#include "engine/backends.h"
#include "engine/operators.h"
#include "model/attention_masks.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const fs::path kFolder = source_directory() / "tests/data/models/tiny-distilbert-classifier";

constexpr std::int64_t kParameters = 20'898;  // of the model in them

at::Tensor tensor_of(const Json& rows, c10::ScalarType type) {
  std::vector<double> values;
  for (const Json& row : rows) {
    for (const Json& value : row) values.push_back(value.get<double>());
  }
  const auto count = static_cast<std::int64_t>(rows.size());
  return at::tensor(values).view({count, -1}).to(type);
}

class GraphFileModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why_not = why_no_backend(GetParam())) GTEST_SKIP() << *why_not;
  }

  // ONNX Runtime reads its own format alone.
  static std::vector<const char*> files() {
    if (GetParam() == "openvino") return {"model.onnx", "openvino_model.xml"};
    return {"model.onnx"};
  }

  static OpenedModel open(const fs::path& file, const std::string& inputs = "") {
    GraphFile asked{file, {}, 0};
    if (!inputs.empty()) asked.inputs = parse_script_inputs(inputs);
    return open_backend(GetParam()).open(asked, {});
  }

  static ModelInputs inputs_of(const Json& batch) {
    ModelInputs inputs;
    inputs.input_ids = tensor_of(batch.at("input_ids"), at::kLong);
    inputs.token_mask = tensor_of(batch.at("attention_mask"), at::kBool);
    inputs.attention_mask = additive_mask(inputs.token_mask, at::kFloat);
    return inputs;
  }

  static void expect_answers(const OpenedModel& opened) {
    const Json reference = parse_json("reference.json", read_file(kFolder / "reference.json"));
    for (const Json& batch : reference.at("batches")) {
      SCOPED_TRACE(batch.at("name").get<std::string>());
      const at::Tensor expected = tensor_of(batch.at("outputs").at("float64_eager"), at::kFloat);
      ModelInputs inputs = inputs_of(batch);
      const auto operators = make_operators("sdpa");
      EXPECT_LE((opened.model->forward(inputs, *operators) - expected).abs().max().item<double>(), 1e-4);
      if (batch.at("name") != "padded") continue;
      inputs.attention_mask = at::Tensor();
      EXPECT_GT((opened.model->forward(inputs, *operators) - expected).abs().max().item<double>(), 1e-3)
          << "the check would not see a mask that is not there";
    }
  }

  static std::string refusal(const fs::path& file, const std::string& inputs = "") {
    try {
      open(file, inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  const TemporaryFolder scratch_;
};

TEST_P(GraphFileModel, AnswersAsTransformersDoes) {
  for (const char* name : files()) {
    SCOPED_TRACE(name);
    const OpenedModel opened = open(kFolder / name);
    EXPECT_EQ(opened.parameters, kParameters);
    expect_answers(opened);
    expect_answers(open(kFolder / name, "ids,mask"));
  }
}

// Of one without weights: the mask as numbers, [2, T].
TEST_P(GraphFileModel, OneOfAFixedSizeTakesThatSizeAlone) {
  const OpenedModel opened = open(source_directory() / "tests/data/models/fixed-size.onnx");
  ModelInputs inputs;
  inputs.input_ids = at::tensor({1, 2, 3, 4}, at::kLong).view({2, 2});
  EXPECT_EQ(opened.model->forward(inputs, *make_operators("sdpa")).sizes(), at::IntArrayRef({2, 2}));
  inputs.input_ids = at::tensor({1, 2, 3}, at::kLong).view({1, 3});
  try {
    opened.model->forward(inputs, *make_operators("sdpa"));
    ADD_FAILURE() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedShape);
    EXPECT_THAT(error.what(), HasSubstr("'input_ids'"));
  }
}

TEST_P(GraphFileModel, AQuantizedOneTellsWhatItHolds) {
  const OpenedModel opened = open(kFolder / "model_int8.onnx");
  const Json reference = parse_json("reference.json", read_file(kFolder / "reference.json"));
  const Json& batch = reference.at("batches").at(0);
  const at::Tensor expected = tensor_of(batch.at("outputs").at("float64_eager"), at::kFloat);
  const at::Tensor output = opened.model->forward(inputs_of(batch), *make_operators("sdpa"));
  const double largest = (output - expected).abs().max().item<double>();
  EXPECT_LE(largest, 0.1);
  EXPECT_GT(largest, 1e-6) << "it computed in fp32";
  const ModelReadback readback = opened.model->readback().value();
  EXPECT_EQ(readback.precision, "fp32") << "that of the rest";
  ASSERT_FALSE(readback.linear_types.empty());
  // OpenVINO computes ONNX's products of whole numbers in fp32, and says so.
  EXPECT_EQ(readback.linear_types.front().weight, GetParam() == "openvino" ? "fp32" : "int8");
}

TEST_P(GraphFileModel, SaysWhichInputsItCannotFill) {
  std::string bytes = read_file(kFolder / "model.onnx");
  for (std::size_t at = bytes.find("attention_mask"); at != std::string::npos; at = bytes.find("attention_mask", at)) {
    bytes.replace(at, 14, "attention_musk");
  }
  const fs::path renamed = scratch_.write("renamed.onnx", bytes);
  EXPECT_THAT(refusal(renamed), AllOf(HasSubstr("'attention_musk'"), HasSubstr("--inputs")));
  expect_answers(open(renamed, "ids,mask"));
  EXPECT_THAT(refusal(kFolder / "model.onnx", "ids"), AllOf(HasSubstr("2 inputs"), HasSubstr("declares 1")));
}

TEST_P(GraphFileModel, RefusesWhatIsNoModel) {
  const std::string onnx = read_file(kFolder / "model.onnx");
  EXPECT_THAT(refusal(scratch_.write("cut.onnx", onnx.substr(0, onnx.size() / 2))), HasSubstr("cut.onnx"));
  EXPECT_THAT(refusal(scratch_.write("garbage.onnx", "no model")), HasSubstr("garbage.onnx"));
  EXPECT_THAT(refusal(scratch_.write("empty.onnx", "")), HasSubstr("empty.onnx"));
  if (GetParam() != "openvino") return;
  EXPECT_THAT(refusal(scratch_.write("empty.xml", "")), HasSubstr("empty.xml"));
  // Without the weights that belong beside it.
  const std::string alone = read_file(kFolder / "openvino_model.xml");
  EXPECT_THAT(refusal(scratch_.write("alone.xml", alone)), HasSubstr("alone.xml"));
}

INSTANTIATE_TEST_SUITE_P(All, GraphFileModel, testing::Values("openvino", "onnxruntime"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace transformeter
