//! Pages that surround a story: the same words on every page of a site.

/// What a site puts around its stories.
pub struct Template {
    pub site: &'static str,
    before: &'static str,
    after: &'static str,
}

impl Template {
    /// The visible text of the page with this story.
    pub fn page(&self, title: &str, text: &str) -> String {
        format!("{}\n\n{title}\n\n{text}\n\n{}", self.before, self.after)
    }
}

/// The sites that print the same stories.
pub const SITES: [Template; 10] = [
    Template {
        site: "The Harbour Post",
        before: "Home News Harbour Weather Sport Jobs Tide tables\nSubscribe to the printed edition for nineteen euros a month and read every article on all your devices.",
        after: "Most read today: Fog closes the northern channel. Council argues about parking fees. Recipe of the week: mussels in cider.\nThe Harbour Post is published six times a week. Editorial office: Quay Street 12. All articles are protected by copyright and may not be reproduced without permission.",
    },
    Template {
        site: "Valley Courier",
        before: "Valley Courier, independent since 1921\nLocal | Region | Culture | Obituaries | Advertisements",
        after: "Did you see something newsworthy? Call our desk at any hour, or send a picture. We reward the best picture of the month with a basket from the farmers' market.\nBack to the front page. Imprint. Privacy. How we handle corrections.",
    },
    Template {
        site: "Morning Sheet",
        before: "Skip to content\nMorning Sheet: five stories before breakfast",
        after: "That was story three of five. Read on: story four. Sign up and get the Morning Sheet by mail at half past five, free of charge and without advertisements on Sundays.",
    },
    Template {
        site: "Regional News Service",
        before: "Regional News Service. For editorial use only. Customers receive this text under the terms of their agreement.",
        after: "End of message. Copy desk: extension 40, staffed from six to twenty-two. Pictures for this message are available in the archive under the same number. Embargo: none.",
    },
    Template {
        site: "Northern Radio",
        before: "Listen live: you are hearing the concert of the week\nProgramme Frequencies Podcasts News Traffic",
        after: "This report was broadcast in the evening magazine. You can hear the magazine again for seven days. Northern Radio is financed by its listeners. The traffic: slow vehicles on the bridge in both directions.",
    },
    Template {
        site: "Village Notice",
        before: "Village Notice, the monthly paper of the parish and its clubs",
        after: "Dates: first aid course on the ninth, blood donation on the eleventh, lantern walk on the sixteenth. The next issue closes on the twentieth. Contributions are welcome; please keep them short and sign them.",
    },
    Template {
        site: "Metro Daily",
        before: "METRO DAILY\nYour city in four minutes. Today: sunny intervals, eighteen degrees. Delays on line 2.",
        after: "Horoscope: Taurus should not sign anything today. Crossword and sudoku on page fourteen. Metro Daily is free; please leave it on the seat for the next reader.",
    },
    Template {
        site: "Weekend Magazine",
        before: "Weekend Magazine\nReading time: two minutes. Photographs can be enlarged by tapping.",
        after: "From the same author: The last lamplighter. Ten lakes that are warm enough in May. Why your neighbour's hedge is none of your business. Letters to the magazine are printed if they contain an argument.",
    },
    Template {
        site: "Bulletin Board",
        before: "You are not logged in. Register | Log in | Search | Help\nForum > Off topic > Found on the web",
        after: "Posted by lighthouse_keeper. Replies: 0. Rules of this forum: stay friendly, name your sources, no advertising. Powered by volunteers and too much coffee.",
    },
    Template {
        site: "Archive of the Chronicle",
        before: "Digital archive of the Chronicle. You are viewing a single article. Scans of the page are available to members.",
        after: "Cite this article by its permanent number. Text recognition may contain errors; help us to correct them. The archive comprises 212,000 pages from 1874 to the present and is open to schools free of charge.",
    },
];

/// The letterheads under which the town's notices go out.
pub const LETTERHEADS: [Template; 2] = [
    Template {
        site: "Town of Ahrenwick",
        before: "Town of Ahrenwick. Public notice. Opening hours of the town hall: Monday to Friday from eight to twelve, Thursdays also from two to six, and by appointment. Please have the number of your notice at hand when you call.",
        after: "This notice was approved by the mayor and is valid without a signature. Objections can be filed in writing within one month of publication; they do not suspend the measure. Persons with impaired sight can have this notice read to them by calling the citizens' office. The town processes personal data only as far as its tasks require. Information about your rights is displayed in the entrance hall and will be sent on request. We thank all residents for their understanding and their patience.",
    },
    Template {
        site: "Ahrenwick newsletter",
        before: "Ahrenwick newsletter. You receive this message because you have signed up for notices from your part of town. To see it with pictures, open it in a browser.",
        after: "You can change the topics you receive, pause the newsletter during your holidays or cancel it altogether with one click. Please do not reply to this message, since nobody reads the mailbox it comes from. Recommend the newsletter to your neighbours: the hundredth new reader of each month wins two tickets to the open-air cinema. Publisher: press office of the town of Ahrenwick.",
    },
];
