// `transformeter run`: measures a plan from options and a file, and stores the results.
#include "cli/plan_command.h"

namespace transformeter {
namespace {

constexpr UsageExample kExamples[] = {
    {"transformeter run", "the default plan: DistilBERT-base with seeded random weights on bundled sentences"},
    {"transformeter run --batch-size 1,8 --sequence-length 128 \\\n    --precision fp32,bf16"},
    {"transformeter run plan.yaml --replicates 5 --time-budget 10m --store a.db",
     "settings from a file; options override it"},
    {"transformeter run --attention eager,sdpa --baseline attention=eager",
     "three replicates, and a table of speed-up and memory saved against eager attention"},
    {"transformeter run --engine pytorch,fast --baseline engine=pytorch \\\n    --replicates 1",
     "one process per case, measured until each comparison is decided"},
    {"transformeter run --engine fast,auto --baseline engine=fast \\\n    --replicates 1 --batch-size 8",
     "are other settings faster on this machine? trials choose, then both are measured"},
    {"transformeter run --engine fast,openvino,onnxruntime \\\n    --baseline engine=openvino --batch-size 8 "
     "--time-budget 3m",
     "against other libraries, which `scripts/setup --engines` and `make programs` install"},
    {"transformeter run --model org/name --data stanfordnlp/sst2 \\\n    --split validation --sequence-length natural",
     "model and data set of the Hub; `scripts/setup --data` installs what reads Parquet"},
    {"transformeter run --model gpt2 --batch-size 1,8,32 --dry-run",
     "will they fit? the memory, and the time, of each case"},
    {"transformeter run padding-sweep", "a bundled plan: attention kernels against padding"},
    {"transformeter run --model my-model/ --data dev.tsv \\\n    --sequence-length natural"},
    {"transformeter run --model wav2vec2-base-960h/ --data speech.tsv \\\n    --batch-size 1",
     "a table of sounds and transcripts: seconds of sound per second, and word error rate"},
    {"transformeter run --scenario offline --data dev.tsv \\\n    --batch-size 8,32 --batching padded,bucketed,packed",
     "throughput over all texts, without waiting between batches"},
    {"transformeter run --model gpt2 --scenario generate \\\n    --prompt-length 128,512 --new-tokens 32",
     "one request at a time: time to first token, and time per further token"},
    {"transformeter run --model wav2vec2-base --audio-seconds 5,10", "speech: synthetic sounds of 5 and 10 s"},
    {"transformeter run --model distilbert/distilbert-base-uncased",
     "a model on the Hugging Face Hub, fetched into the cache if missing"},
    {"transformeter run --allocator glibc,glibc_raised,jemalloc,mimalloc \\\n    --batch-size 32",
     "compare memory allocators; page_faults in the results shows the cost of each"},
};
constexpr const char* kNotes[] = {
    kListNote,
    "A plan file, YAML or JSON (.json), has the same settings in snake_case, at the top or in sections named after the "
    "groups of --help-all; axes may stand in the plural:\n  model: distilbert-base\n  workload:\n    "
    "batch_sizes: [1, 8, 32]\n    sequence_length: [128, natural]",
    kPlanExitCodes,
};

}  // namespace

std::unique_ptr<Command> make_run_command() {
  return std::make_unique<PlanCommand>(PlanCommandShape{.name = "run",
                                                        .task = CommandTask::kMeasure,
                                                        .summary = "measure every case of a plan and store the results",
                                                        .examples = kExamples,
                                                        .notes = kNotes});
}

}  // namespace transformeter
