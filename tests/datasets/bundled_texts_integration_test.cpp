// The bundled texts and vocabulary belong together, and the public data set loads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "datasets/cycle.h"
#include "datasets/dataset.h"
#include "support/shared_data.h"
#include "support/source_tree.h"
#include "support/temporary_folder.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

const std::filesystem::path kSource = source_directory();
const std::filesystem::path kTexts = kSource / "share/texts";

TEST(BundledTexts, TheVocabularyIsWhatTheScriptMakes) {
  const TemporaryFolder folder;
  const auto output = folder.path() / "vocab.txt";
  const std::string command =
      "python3 '" + (kSource / "scripts/build_vocabulary.py").string() + "' --output '" + output.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(read_file(output), read_file(kTexts / "vocab.txt")) << "run scripts/build_vocabulary.py";
}

TEST(BundledTexts, NoSentenceHoldsAnUnknownToken) {
  const auto tokenizer = load_tokenizer(kTexts / "vocab.txt");
  const DataSet data = load_dataset(kTexts / "reviews.tsv");
  EXPECT_EQ(data.name, "texts/reviews");
  EXPECT_GE(data.examples.size(), 250u);
  std::int64_t positive = 0;
  for (const Example& example : data.examples) {
    const std::vector<std::int32_t> ids = tokenizer->encode(example.text).ids;
    EXPECT_EQ(std::count(ids.begin(), ids.end(), *tokenizer->special_tokens().unk), 0) << example.text;
    positive += example.label.value();
  }
  EXPECT_EQ(positive * 2, static_cast<std::int64_t>(data.examples.size())) << "as many good as bad ones";
}

TEST(BundledTexts, EveryPrintableAsciiTextIsKnown) {
  const auto tokenizer = load_tokenizer(kTexts / "vocab.txt");
  for (char a = ' '; a <= '~'; ++a) {
    for (char b = ' '; b <= '~'; ++b) {
      const std::vector<std::int32_t> ids = tokenizer->encode(std::string{a, b}).ids;
      EXPECT_EQ(std::count(ids.begin(), ids.end(), *tokenizer->special_tokens().unk), 0) << a << b;
    }
  }
}

TEST(Sst2, LoadsWithTheCountsOfItsReadme) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const auto folder = shared_data() / "sst2";
  const auto positive = [](const DataSet& data) {
    return std::count_if(data.examples.begin(), data.examples.end(), [](const Example& e) { return e.label == 1; });
  };
  const DataSet dev = load_dataset(folder / "dev.tsv");
  EXPECT_EQ(dev.name, "sst2/dev");
  EXPECT_EQ(dev.sha256, "54a9c12c77e402fc14d6a66a506f24d999f596b0176eb777c972cccc2f9cc4b0");
  EXPECT_EQ(dev.examples.size(), 872u);
  EXPECT_EQ(positive(dev), 444);
  const DataSet train = load_dataset(folder / "train.tsv");
  EXPECT_EQ(train.examples.size(), 67349u);
  EXPECT_EQ(positive(train), 37569);
  EXPECT_EQ(load_dataset(folder / "test.tsv").label_count, 0);
  const DataSet labelled = load_dataset(folder / "test-labelled-stanford.tsv");
  EXPECT_EQ(labelled.examples.size(), 1821u);
  EXPECT_EQ(positive(labelled), 909);
}

TEST(Sst2, CycleOfDevHoldsEveryExampleAndEveryToken) {
  TRANSFORMETER_NEEDS_SHARED_DATA();
  const DataSet dev = load_dataset(shared_data() / "sst2/dev.tsv");
  const auto tokenizer = load_tokenizer(shared_data() / "tokenizers/bert-base-uncased");
  CycleOptions options;
  options.batch_size = 32;
  const Cycle cycle = build_cycle(dev, *tokenizer, options);
  EXPECT_EQ(cycle.batches.size(), 28u) << "ceil(872 / 32)";
  EXPECT_EQ(cycle.batches.back().batch_size, 872 - 27 * 32);
  std::int64_t useful = 0;
  for (const Batch& batch : cycle.batches) useful += batch.useful_tokens;
  EXPECT_EQ(useful, 21943) << "the ids of sst2-dev in tests/data/tokenizer/sets.json";
  EXPECT_EQ(cycle.truncated_examples, 0);
}

}  // namespace
}  // namespace transformeter
