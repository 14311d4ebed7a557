// `transformeter train`: `run` for the scenario train alone.
#include <algorithm>
#include <string>

#include "cli/plan_command.h"
#include "schema/settings.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter train", "DistilBERT-base with seeded random weights, 8 bundled sentences of 128 tokens per step"},
    {"transformeter train --batch-size 1,4,16,64 --precision fp32,bf16_autocast"},
    {"transformeter train --optimizer adamw,adam,sgd,adafactor \\\n    --gradient-accumulation 1,4",
     "then: transformeter show --summary-by optimizer,gradient_accumulation"},
    {"transformeter train --model bert-base --task question_answering \\\n    --data dev-v1.1.json --batch-size 4 "
     "--sequence-length 384"},
    {"transformeter train --model my-model/ --data train.tsv \\\n    --sequence-length natural --batching "
     "padded,bucketed,packed"},
    {"transformeter train --model gpt2 --data input.txt --sequence-length 256"},
    {"transformeter train --model t5-small --sequence-length 64", "random texts and targets; pairs: --data news.csv"},
    {"transformeter train --model wav2vec2-base --audio-seconds 5,10", "speech: synthetic sounds, random transcripts"},
    {"transformeter train --model clip-base --batch-size 8,32",
     "random images and captions; pairs: --data captions.csv"},
    {"transformeter train --gradient-checkpointing off,on --batch-size 16",
     "the time it costs and the memory it saves"},
    {"transformeter train --model-families all --batch-size 2"},
    {"transformeter train --engine fast,auto --baseline engine=fast",
     "auto: settings chosen by trials on this machine"},
    {"transformeter train --price-per-hour 3.20", "adds cost_per_step"},
};
constexpr const char* kNotes[] = {
    ("A sample is one optimizer step: --samples and --warmup count steps. --batch-size is the batch of one forward "
     "pass; a step takes --gradient-accumulation of them."),
    kListNote,
    kPlanExitCodes,
};

class TrainCommand final : public PlanCommand {
 public:
  TrainCommand()
      : PlanCommand({.name = "train",
                     .task = CommandTask::kTraining,
                     .summary = "measure training steps: time, memory, energy and how the loss falls",
                     .examples = kExamples,
                     .notes = kNotes,
                     .scenario = Scenario::kTrain,
                     .defaults = training_defaults()}) {}

 protected:
  void declare_more(std::vector<OptionDeclaration>& options) override {
    const auto precision = std::find_if(options.begin(), options.end(), [](const OptionDeclaration& option) {
      return option.names.back() == "--precision";
    });
    precision->help = "number format of the passes; auto: fp32, plus bf16_autocast if the device supports bf16";
    precision->words = trained_precisions();
  }
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace transformeter
