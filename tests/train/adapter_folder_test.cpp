// Adapters as PEFT saves them (scripts/references/lora_reference.py), and models that they are merged into.
#include "train/adapter_folder.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "base/files.h"
#include "engine/operators.h"
#include "model/registry.h"
#include "spec/checkpoint.h"
#include "spec/safetensors.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "train/adapter_runs.h"
#include "train/trained_weights.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;

Shapes shapes_in(const fs::path& file) {
  const MappedFile mapping(file);
  Shapes shapes;
  for (const auto& [name, entry] : parse_safetensors_header(mapping.bytes(), file.string())) shapes[name] = entry.shape;
  return shapes;
}

// A tiny model with adapters that change its answers.
struct Adapted {
  Adapted(const std::string& model, Task of, const std::string& targets, double alpha = 12) : task(of) {
    Checkpoint checkpoint = open_checkpoint(source_directory() / "tests/data/models" / model);
    config = checkpoint.config;
    lora = plan_lora(config, task, {4, alpha, targets});
    inventory = tensor_inventory(config, task);
    const Parameters stored = checkpoint_parameters(std::move(checkpoint), task, at::kFloat);
    trained = trained_weights(stored, inventory, at::kFloat, lora, 7);
    const at::NoGradGuard no_gradient;
    for (const LinearSpec& matrix : lora.matrices) {
      const at::Tensor& lora_b = trained.parameters.at(lora_b_of(matrix.weight));
      lora_b.copy_((at::arange(lora_b.numel(), at::kFloat).sin() * 0.2).view(lora_b.sizes()));
    }
  }

  Task task;
  ModelConfig config;
  LoraPlan lora;
  std::vector<TensorSpec> inventory;
  TrainedWeights trained;
};

at::Tensor outputs(const Adapted& adapted, const Parameters& parameters) {
  const at::NoGradGuard no_gradient;
  ModelRegistry registry;
  register_builtin_models(registry);
  const std::unique_ptr<Model> model = registry.make(adapted.config, adapted.task, parameters);
  ModelInputs inputs;
  inputs.input_ids = at::arange(5, 17, at::kLong).view({2, 6});
  return model->forward(inputs, *make_operators("eager"));
}

Parameters merged(const Adapted& adapted, const LoraPlan& lora) {
  Parameters parameters;
  for (const TensorSpec& tensor : adapted.inventory) {
    const NamedTensor weight{tensor.name, adapted.trained.parameters.at(tensor.name)};
    parameters.add(tensor.name, merged_value(adapted.trained.parameters, weight, lora));
  }
  return parameters;
}

TEST(MergedValue, AnswersAsTheModelWithItsAdapters) {
  at::set_num_threads(1);
  for (const auto& [model, task] :
       {std::pair("tiny-distilbert-classifier", Task::kSequenceClassification), std::pair("tiny-gpt2", Task::kCausalLm),
        std::pair("tiny-llama", Task::kCausalLm)}) {
    for (const char* targets : {"", "all-linear"}) {
      SCOPED_TRACE(fmt::format("{} {}", model, targets));
      const Adapted adapted(model, task, targets);
      const at::Tensor expected = outputs(adapted, adapted.trained.parameters);
      EXPECT_TRUE(at::allclose(outputs(adapted, merged(adapted, adapted.lora)), expected, 1e-4, 1e-4));
      LoraPlan by_alpha = adapted.lora;
      by_alpha.alpha *= static_cast<double>(by_alpha.rank);
      EXPECT_FALSE(at::allclose(outputs(adapted, merged(adapted, by_alpha)), expected, 1e-2, 1e-2));
    }
  }
}

// Whichever way a matrix is stored: of GPT-2 as [in, out].
TEST(CancelAdapters, LeavesTheAnswersAsTheyWere) {
  at::set_num_threads(1);
  for (const auto& [model, task] : {std::pair("tiny-distilbert-classifier", Task::kSequenceClassification),
                                    std::pair("tiny-gpt2", Task::kCausalLm)}) {
    SCOPED_TRACE(model);
    const Adapted adapted(model, task, "all-linear");
    const Parameters& parameters = adapted.trained.parameters;
    const at::NoGradGuard no_gradient;
    std::map<std::string, at::Tensor> before;
    for (const LinearSpec& matrix : adapted.lora.matrices) {
      parameters.at(lora_b_of(matrix.weight)).zero_();
      before.emplace(matrix.weight, parameters.at(matrix.weight).clone());
    }
    const at::Tensor expected = outputs(adapted, parameters);
    cancel_adapters(parameters, adapted.lora, 7);
    EXPECT_TRUE(at::allclose(outputs(adapted, parameters), expected, 1e-4, 1e-4));
    for (const auto& [name, weight] : before) {
      const at::Tensor product = weight - parameters.at(name);
      EXPECT_NEAR((product.norm() / weight.norm()).item<double>(), 1, 1e-4) << name;
    }
    const std::string first = lora_b_of(adapted.lora.matrices.front().weight);
    const at::Tensor drawn = parameters.at(first).clone();
    for (const LinearSpec& matrix : adapted.lora.matrices) parameters.at(lora_b_of(matrix.weight)).zero_();
    EXPECT_FALSE(at::allclose(outputs(adapted, parameters), expected, 1e-2, 1e-2)) << "as of skipped adapters";
    for (const auto& [name, weight] : before) parameters.at(name).copy_(weight);
    cancel_adapters(parameters, adapted.lora, 7);
    EXPECT_TRUE(parameters.at(first).equal(drawn)) << "by seed and name";
  }
}

// [−1/√in, 1/√in], by seed and name alone.
TEST(DrawAdapters, AreUniformAndZeros) {
  const Adapted adapted("tiny-distilbert-classifier", Task::kSequenceClassification, "");
  const std::vector<NamedTensor> drawn = draw_adapters(adapted.lora, 7), again = draw_adapters(adapted.lora, 7);
  ASSERT_EQ(drawn.size(), 2 * adapted.lora.matrices.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EXPECT_TRUE(drawn[i].value.equal(again[i].value));
    const double largest = drawn[i].value.abs().max().item<double>();
    if (i % 2 == 1) {
      EXPECT_EQ(largest, 0);
      continue;
    }
    const double bound = 1 / std::sqrt(32.0);
    EXPECT_LE(largest, bound);
    EXPECT_GT(largest, 0.8 * bound);
    EXPECT_NEAR(drawn[i].value.std().item<double>(), bound / std::sqrt(3.0), 0.1 * bound);
    EXPECT_FALSE(drawn[i].value.equal(draw_adapters(adapted.lora, 8)[i].value));
  }
}

TEST(WriteAdapterFolder, HasTheTensorsAndKeysOfPeft) {
  const TemporaryFolder output;
  const Json curves = Json::parse(read_file(source_directory() / "tests/data/training/lora_curves.json"));
  for (const Json& run : curves.at("runs")) {
    SCOPED_TRACE(run.at("name").get<std::string>());
    const Adapted adapted(run.at("model"), run.at("task").get<Task>(), targets_of(run.at("lora")));
    const fs::path folder = output.path() / "best";
    write_adapter_folder(folder,
                         {adapted.lora, adapted.task, named_values(adapted.trained.weights), {"org/base", "ab12"}});
    EXPECT_EQ(shapes_in(folder / "adapter_model.safetensors"), run.at("saved_tensors").get<Shapes>());
    const Json config = Json::parse(read_file(folder / "adapter_config.json"));
    EXPECT_EQ(config.at("base_model_name_or_path"), "org/base");
    EXPECT_EQ(config.at("revision"), "ab12");
    EXPECT_EQ(config.at("r"), 4);
    EXPECT_EQ(config.at("lora_alpha"), 12.0);
    EXPECT_EQ(config.at("peft_type"), "LORA");
    EXPECT_EQ(config.at("fan_in_fan_out"), run.at("model") == "tiny-gpt2");
    if (const Json& targets = run.at("lora").at("targets"); targets.is_array()) {
      EXPECT_EQ(config.at("target_modules"), targets);
    }
  }
}

TEST(WriteAdapterFolder, NamesTaskAndTrainedModules) {
  const auto config = [](const std::string& model, Task task) {
    const Adapted adapted(model, task, "");
    return adapter_config(adapted.lora, task, {"base", ""});
  };
  const Json classifier = config("tiny-distilbert-classifier", Task::kSequenceClassification);
  EXPECT_EQ(classifier.at("task_type"), "SEQ_CLS");
  EXPECT_EQ(classifier.at("modules_to_save"), Json::array({"pre_classifier", "classifier"}));
  EXPECT_TRUE(classifier.at("revision").is_null());
  const Json reader = config("tiny-bert-reader", Task::kQuestionAnswering);
  EXPECT_EQ(reader.at("task_type"), "QUESTION_ANS");
  const Json writer = config("tiny-t5", Task::kSeq2SeqLm);
  EXPECT_EQ(writer.at("task_type"), "SEQ_2_SEQ_LM");
  EXPECT_TRUE(writer.at("modules_to_save").is_null());
  EXPECT_TRUE(config("tiny-bert-filler", Task::kMaskedLm).at("task_type").is_null());
}

}  // namespace
}  // namespace transformeter
