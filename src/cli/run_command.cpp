// `transformeter run`: a plan from flags and a file, measured into a store.
#include "cli/plan_command.h"

namespace transformeter {
namespace {

constexpr const char* kExamples = R"(Examples:
  transformeter run
      the default plan: DistilBERT-base with seeded random weights on bundled sentences
  transformeter run --batch-size 1,8 --sequence-length 128 \
    --precision fp32,bf16
  transformeter run plan.yaml --replicates 5 --time-budget 10m --store a.db
      settings from a file, flags override it
  transformeter run --attention eager,sdpa --baseline attention=eager
      three replicates, and a table of speed-up and memory saved against eager
  transformeter run padding-sweep
      a plan that comes with the program: attention kernels against padding
  transformeter run --model my-model/ --data dev.tsv \
    --sequence-length natural
  transformeter run --model gpt2 --scenario generate \
    --prompt-length 128,512 --new-tokens 32
      one request at a time: time to the first token, and of each further one
  transformeter run --model distilbert/distilbert-base-uncased
      a model of the Hugging Face hub, fetched into the cache when it is not there; org/name@REVISION for a certain one
  transformeter run --allocator glibc,glibc_raised,jemalloc,mimalloc \
    --batch-size 32
      which malloc; page_faults in the results says what each costs

A plan file has the same settings in snake_case:
  model: distilbert-base
  batch_size: [1, 8, 32]
  sequence_length: [128, natural]

Exit codes: 0 every case has an answer and one is ok, 1 a case failed or none is ok, 3 bad input, 130 interrupted.)";

}  // namespace

std::unique_ptr<Command> make_run_command() {
  return std::make_unique<PlanCommand>(
      PlanCommandShape{"run", "measure the cases of a plan and store the results", kExamples, ""});
}

}  // namespace transformeter
