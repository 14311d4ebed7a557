// TorchScript files made here, so that every output can be worked out.
#include "model/script_model.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <torch/csrc/jit/api/module.h>

#include "base/error.h"
#include "engine/operators.h"
#include "support/temporary_folder.h"

namespace transformeter {
namespace {

using testing::HasSubstr;

class Script : public testing::Test {
 protected:
  std::filesystem::path save(const std::string& definition) const {
    torch::jit::Module module("m");
    module.register_parameter("weight", at::full({2, 3}, 2.0), false);
    module.define(definition);
    module.save((folder_.path() / "model.pt").string());
    return folder_.path() / "model.pt";
  }
  at::Tensor run(const std::string& definition, const std::string& inputs,
                 c10::ScalarType type = c10::ScalarType::Float) const {
    const ScriptModel script = load_script_model(save(definition), parse_script_inputs(inputs), 7, type);
    EXPECT_EQ(script.parameters.count(), 6);
    EXPECT_EQ(script.parameters.at("weight").scalar_type(), type);
    return script.model->forward(inputs_, *make_operators("sdpa"));
  }

  const TemporaryFolder folder_;
  ModelInputs inputs_ = [] {
    ModelInputs inputs;
    inputs.input_ids = at::full({2, 5}, 3, at::TensorOptions(at::kLong));
    return inputs;
  }();
};

TEST_F(Script, IsGivenWhatIsDeclaredInOrder) {
  // 10 ids of 3, 10 ones, no types, 0 + 1 + 2 + 3 + 4.
  const at::Tensor sums =
      run("def forward(self, mask, ids, types, positions):\n"
          "  return torch.stack([mask.sum(), ids.sum(), types.sum(), positions.sum()])\n",
          "mask,ids,types,positions");
  EXPECT_EQ(sums[0].item<int>(), 10);
  EXPECT_EQ(sums[1].item<int>(), 30);
  EXPECT_EQ(sums[2].item<int>(), 0);
  EXPECT_EQ(sums[3].item<int>(), 10);
}

TEST_F(Script, SeesPaddingUnlessItIsAttendedTo) {
  inputs_.token_mask = at::zeros({2, 5}, at::TensorOptions(at::kBool));
  const char* definition = "def forward(self, mask):\n  return mask.sum()\n";
  EXPECT_EQ(run(definition, "mask").item<int>(), 10);
  inputs_.attention_mask = at::zeros({2, 1, 1, 5});
  EXPECT_EQ(run(definition, "mask").item<int>(), 0);
}

TEST_F(Script, FindsTheTensorAmongItsOutputs) {
  const char* dictionary = "def forward(self, ids):\n  return {'x': ids, 'logits': ids + 1}\n";
  EXPECT_EQ(run(dictionary, "ids").max().item<int>(), 4);
  const char* tuple = "def forward(self, ids):\n  return ((ids + 2, ids), ids)\n";
  EXPECT_EQ(run(tuple, "ids").max().item<int>(), 5);
  EXPECT_THROW(run("def forward(self, ids):\n  return 1\n", "ids"), Error);
}

TEST_F(Script, RandomInputsAreSeededAndShapedByTheBatch) {
  const char* definition = "def forward(self, pixels, flags):\n  return pixels + flags.sum()\n";
  const at::Tensor once = run(definition, "pixels:float32[B,T,4],flags:int64[B]");
  EXPECT_EQ(once.sizes(), (std::vector<std::int64_t>{2, 5, 4}));
  EXPECT_TRUE(once.equal(run(definition, "pixels:float32[B,T,4],flags:int64[B]")));
  EXPECT_GT(once.std().item<double>(), 0.5);
}

TEST_F(Script, RunsInThePrecisionAsked) {
  const char* definition = "def forward(self, ids):\n  return self.weight * 2\n";
  EXPECT_EQ(run(definition, "ids", c10::ScalarType::BFloat16).scalar_type(), c10::ScalarType::BFloat16);
}

TEST_F(Script, SaysWhichInputsItTakes) {
  try {
    run("def forward(self, ids, more):\n  return ids\n", "ids");
    FAIL() << "an input was missing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("'more'"));
    EXPECT_THAT(error.what(), HasSubstr("--inputs"));
  }
  EXPECT_THROW(load_script_model(folder_.write("bad.pt", "no zip"), {}, 0, c10::ScalarType::Float), Error);
}

TEST(ParseScriptInputs, ReadsRolesTypesAndShapes) {
  const std::vector<ScriptInput> inputs = parse_script_inputs("ids, x:bfloat16[B,3,T]");
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].kind, ScriptInput::Kind::kIds);
  EXPECT_EQ(inputs[1].name, "x");
  EXPECT_EQ(inputs[1].type, "bfloat16");
  EXPECT_EQ(inputs[1].shape, (std::vector<std::int64_t>{kBatchDimension, 3, kTokenDimension}));
  for (const char* bad :
       {"", "idz", "x:float32", "x:float33[B]", "x:float32[0]", "x:float32[C]", ":float32[B]", "x[B]"}) {
    EXPECT_THROW(parse_script_inputs(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace transformeter
