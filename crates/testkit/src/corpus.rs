//! A tiny corpus, written for the tests: enough words for statistics, short enough to read.

/// Stories of two or three paragraphs, the last two of them edited copies of the first two.
pub const STORIES: &[&str] = &[
    "The harbor town woke to thick fog on Tuesday morning, and the ferry to the islands stayed at \
     its pier until noon. Captain Helene Brandt said that visibility had fallen below one hundred \
     meters before sunrise. She told waiting passengers to drink their coffee slowly.\n\n\
     By early afternoon a light wind from the northwest had cleared the channel. The first ferry \
     left with two hundred people on board, among them a school class and a brass band on its way \
     to a summer wedding. Nobody complained about the delay; the band played on the upper deck.",
    "Researchers at the institute for soil science have counted earthworms in forty meadows for \
     ten years. Their report, published this week, shows that meadows mown twice a year hold three \
     times as many worms as meadows mown five times. The difference was largest in wet years.\n\n\
     Farmers in the valley are divided over the result. Some want to mow less often if the region \
     pays for the lost hay, others doubt that worms alone can explain the better harvests. The \
     institute will continue to count, and invites every school to adopt a meadow of its own.",
    "A small theater company has turned an empty swimming pool into a stage. The audience sits at \
     the shallow end, the actors perform where the water was deepest, and sound carries from wall \
     to wall as in a cathedral. Tickets for the first season sold out in four hours.\n\n\
     The director explains that she had looked for an old factory but found none with such an \
     echo. The city owns the building and charges a modest rent, on condition that children of the \
     neighborhood may rehearse there on Saturday mornings without paying anything.",
    "The library of the university will close its reading room for nine months. Workers must \
     replace cables from the nineteen sixties, repair the glass roof and install an elevator for \
     visitors in wheelchairs. Books can still be ordered at a counter in the east wing.\n\n\
     Students have asked for longer opening hours in the branch libraries during examinations. The \
     administration promised an answer by the end of the month, and has rented two hundred desks in \
     a former department store next to the railway station.",
    "A new bridge for bicycles opened above the freight tracks yesterday. It saves commuters from \
     the southern districts a detour of almost two kilometers and a dangerous crossing. Sensors in \
     the deck count how many people ride over it, and a display shows the number of the day.\n\n\
     Construction took three years longer than planned, because the ground proved softer than the \
     survey had suggested. The council approved another twelve million in autumn after a long and \
     bitter debate about costs.",
    "The harbor town woke to dense fog on Tuesday morning, and the ferry to the islands stayed at \
     its pier until noon. Captain Helene Brandt said that visibility had fallen below one hundred \
     meters before sunrise. She told waiting passengers to drink their coffee slowly.\n\n\
     By early afternoon a light wind from the northwest had cleared the channel. The first ferry \
     left with two hundred people on board, among them a school class and a brass band on its way \
     to a summer wedding. Nobody complained about the delay; the band played on the upper deck.",
    "Researchers at the institute for soil science have counted earthworms in forty meadows for \
     ten years. Their report, published this week, shows that meadows mown twice a year hold three \
     times as many worms as meadows mown five times. The difference was largest in wet years.\n\n\
     Farmers in the valley are divided over the result. Some want to mow less often if the region \
     pays for the lost hay, others doubt that worms alone can explain the better harvests. The \
     institute will continue to count.",
];
