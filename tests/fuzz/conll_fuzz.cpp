// Tagged sentences, and their score against themselves.
#include "fuzz_support.h"
#include "tasks/entity_score.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expect_read_or_error([&] {
    const TaggedSentenceSet set = read_conll("input", bytes_of(data, size));
    for (const TaggedSentence& sentence : set.sentences) {
      require(!sentence.empty(), "an empty sentence");
      std::vector<std::string> tags;
      for (const TaggedToken& token : sentence) tags.push_back(token.tag);
      for (const Entity& entity : find_entities(tags, EntityRules::kLenient)) {
        require(entity.begin < entity.end && entity.end <= tags.size(), "an entity outside its sentence");
      }
    }
  });
  return 0;
}
