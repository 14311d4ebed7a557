// `transformeter train`: the scenario train over the axes of a training.
#include <string>

#include "cli/option_values.h"
#include "cli/plan_command.h"
#include "run/model_families.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter train
      DistilBERT-base with seeded random weights, 8 bundled sentences of 128 tokens a step
  transformeter train --batch-size 1,4,16,64 --precision fp32,bf16_autocast
  transformeter train --optimizer adamw,adam,sgd,adafactor \
    --gradient-accumulation 1,4
      then transformeter show --summary-by optimizer,gradient_accumulation
  transformeter train --model bert-base --task question_answering \
    --data dev-v1.1.json --batch-size 4 --sequence-length 384
  transformeter train --model my-model/ --data train.tsv \
    --sequence-length natural --batching padded,bucketed,packed
  transformeter train --model gpt2 --data input.txt --sequence-length 256
  transformeter train --gradient-checkpointing off,on --batch-size 16
      what it costs in time, and what it saves in memory
  transformeter train --model-families embedding,text_generation
  transformeter train --price-per-hour 3.20

A sample is one step: --samples and --warmup count steps. Of --batch-size, what goes forward at a time; a step takes
--gradient-accumulation of them.

Exit codes: 0 every case has an answer and one is ok, 1 a case failed or none is ok, 3 bad input, 130 interrupted.)";

class TrainCommand final : public PlanCommand {
 public:
  TrainCommand()
      : PlanCommand(
            {"train",
             "measure steps of a training: time, memory and energy, and how the loss falls",
             kExamples,
             "train",
             {"scenario", "prompt_length", "new_tokens", "padding", "length_distribution", "pooling", "inputs",
              "weights", "fusion", "streams", "chunk_tokens", "attention_mask", "graphs", "transfers", "reference"},
             training_defaults()}) {}

 protected:
  void declare_more(CLI::App& app) override {
    CLI::Option* option =
        app.add_option("--model-families", families_,
                       "a default set of models in place of --model: embedding (encoders), text_generation (decoders)");
    describe_values(*option, "FAMILY,...");
    option->excludes("--model");
  }
  void apply_more(Plan& plan) override {
    if (!families_.empty()) plan.apply_flag("model", models_of_families(families_));
  }

 private:
  std::string families_;
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace transformeter
