// Classes by their names, and the texts that stand for them.
#include "tasks/zero_shot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace transformeter {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(ZeroShot, AListComesBeforeTheDatasNames) {
  DataSet data;
  data.label_names = {"dog", "cat"};
  EXPECT_THAT(zero_shot_classes("", data), ElementsAre("dog", "cat"));
  EXPECT_THAT(zero_shot_classes("cat,dog,bird", data), ElementsAre("cat", "dog", "bird"));
}

TEST(ZeroShot, NeedsTwoNames) {
  EXPECT_THAT(failure_of([] { zero_shot_classes("", DataSet()); }),
              AllOf(HasSubstr("needs the names of its classes"), HasSubstr("--labels A,B,...")));
  EXPECT_THAT(failure_of([] { zero_shot_classes("[\"cat\"]", DataSet()); }),
              AllOf(HasSubstr("'cat'"), HasSubstr("at least two classes")));
}

TEST(ZeroShot, PutsEachNameIntoTheTemplate) {
  EXPECT_THAT(class_texts({"cat", "{}"}, "a photo of a {}."), ElementsAre("a photo of a cat.", "a photo of a {}."));
  EXPECT_THAT(class_texts({"a cat"}, "{}"), ElementsAre("a cat"));
}

TEST(ZeroShot, ATemplateHasOnePlace) {
  for (const char* wrong : {"", "a photo", "{} and {}", "{", "a photo of a { }"}) {
    EXPECT_THAT(failure_of([&] { check_prompt_template(wrong); }),
                AllOf(HasSubstr("prompt_template '" + std::string(wrong) + "'"), HasSubstr("exactly once"),
                      HasSubstr("a photo of a {}")));
  }
}

}  // namespace
}  // namespace transformeter
