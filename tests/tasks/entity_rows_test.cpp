// Which tags are classes, and in which order.
#include "tasks/entity_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TaggedSentenceSet sentences() {
  return read_conll("f.conll", "Ann\tB-PER\nsaw\tO\n\nBonn\tB-LOC\n");
}

TEST(EntityClasses, AreInTheOrderOfAModelThatHasLearntThem) {
  EXPECT_THAT(entity_classes(sentences(), {"O", "B-PER", "B-LOC"}), ElementsAre("O", "B-PER", "B-LOC"));
}

TEST(EntityClasses, AreSortedForAnyOtherModel) {
  const auto sorted = ElementsAre("B-LOC", "B-PER", "O");
  EXPECT_THAT(entity_classes(sentences(), {}), sorted);
  EXPECT_THAT(entity_classes(sentences(), {"O", "B-PER"}), sorted) << "fewer";
  EXPECT_THAT(entity_classes(sentences(), {"O", "B-PER", "B-LOC", "I-LOC"}), sorted) << "more";
  EXPECT_THAT(entity_classes(sentences(), {"LABEL_0", "LABEL_1", "LABEL_2"}), sorted) << "others";
}

TEST(EntityClasses, ATagThatIsNoneIsNamedByItsLine) {
  EXPECT_NO_THROW(check_tags(sentences(), {"B-LOC", "B-PER", "O"}, "f.conll"));
  try {
    check_tags(sentences(), {"B-PER", "O"}, "f.conll");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("f.conll:4:"), HasSubstr("'B-LOC' is not one of the 2 classes")));
  }
}

}  // namespace
}  // namespace transformeter
