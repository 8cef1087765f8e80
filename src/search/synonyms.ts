import { stem } from './stem.ts';

/** A word that can stand for another. */
export interface Synonym {
  readonly text: string;
  readonly stem: string;
}

/**
 * Words that stand for each other in what tools do and in how people ask for it. A word may be in
 * several groups.
 */
const GROUPS: readonly (readonly string[])[] = `
create add make new generate build compose insert register
delete remove erase drop clear destroy discard cancel
update edit modify change alter revise adjust
get fetch retrieve obtain read load lookup receive acquire
show display view present
list enumerate browse
find search lookup query locate discover seek
send post submit deliver dispatch transmit
save store write persist record
open launch start begin run
close stop end terminate quit shut halt
run execute invoke call perform launch
start begin initiate launch
upload import load attach
download export save
copy duplicate clone replicate
move transfer relocate migrate
rename retitle relabel
check verify validate test confirm inspect
compare diff difference contrast
calculate compute calculation math arithmetic evaluate
convert transform translate change conversion
summarize digest overview brief
analyze examine inspect evaluate assess investigate study
merge combine join concatenate unite
split divide separate partition
sort order arrange rank
filter select narrow
schedule plan arrange calendar appointment
book reserve reservation booking
buy purchase order acquire
pay payment checkout transaction
sell sale
enable activate on
disable deactivate off
lock secure
log record history
monitor watch track observe
subscribe follow watch
notify alert notification reminder remind
message chat text sms
email mail inbox
phone call telephone dial
user account profile member person
people person human individual
customer client
team group organization
password credential secret passcode
login signin authenticate logon
logout signout logoff
permission access role privilege
folder directory
file document
webpage page website site web url link
browser web
navigate go visit open
click press tap
screenshot capture snapshot
image picture photo photograph
video movie film clip
movie film cinema
music song track audio
sound audio voice speech
text string content
code program source script
function method
bug issue defect error problem ticket
error exception failure fault
repository repo git
commit revision
branch fork
pull merge
database db sql
table sheet spreadsheet
spreadsheet excel workbook xlsx
presentation powerpoint slide slides deck pptx ppt
word document docx
chart graph plot diagram visualize
graph network node
node entity vertex
edge relation relationship link connection
connect link join attach
map location place geography
location place address position
address geocode coordinate coordinates
coordinates latitude longitude
directions route navigation path
distance far length
restaurant dining food eat
hotel accommodation lodging stay room
flight airline plane airfare
trip travel journey itinerary
train rail railway
car vehicle auto automobile
ride taxi cab
weather forecast temperature climate
temperature heat thermostat
news headline article
article paper publication
price cost rate quote fee
stock share equity ticker
currency money exchange forex
crypto cryptocurrency bitcoin coin
product item goods
inventory stock
invoice bill receipt
task todo
job work position
note memo
event meeting appointment
alarm reminder timer
time clock hour
date day calendar
today current now
current present latest now recent
latest newest recent
first initial
information info details detail data
description detail explain
doctor physician medical
hospital clinic medical
health medical fitness
symptom disease illness
medicine drug medication
company business firm enterprise organization corporation
market trade
house home property apartment
rent lease rental
light lamp
device appliance hardware
server host machine
container docker
cluster kubernetes k8s
process task thread
memory knowledge remember recall
knowledge wiki encyclopedia
answer reply respond response
question ask query
comment remark feedback review
review rating feedback
rating score
language translation
translate translation
number count amount quantity total
count tally
size dimension
average mean
random arbitrary
key identifier id
identifier id
name title label
tag label category
category type kind class
comment note
history past log
archive backup
restore recover undo revert rollback
backup snapshot
version release
install setup
configure setting settings configuration config setup preferences
option setting
deploy deployment publish release
publish release post
share distribute
print output
input entry
compress zip archive
extract unzip parse scrape
scrape crawl extract
encrypt cipher encode
decode decrypt
format style
draw paint sketch
design create
resize scale
crop trim cut
rotate turn
play stream listen
pause stop hold
volume loudness
watch view play
teach learn tutorial lesson course
student pupil
school university college
recipe cooking cook meal
ticket pass
sport game match
contact address phone
calendar schedule agenda
agenda schedule
approve accept allow
reject decline deny refuse
block ban
unknown missing
similar related like
recommend suggest recommendation suggestion
popular trending top
best top
near nearby close around
big large
small little
fast quick
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

const SYNONYMS = new Map<string, Map<string, Synonym>>();
for (const group of GROUPS) {
  const members = group.map((text) => ({ text, stem: stem(text) }));
  for (const { stem: key } of members) {
    const others = SYNONYMS.get(key) ?? new Map<string, Synonym>();
    for (const member of members) {
      if (member.stem !== key && !others.has(member.stem)) others.set(member.stem, member);
    }
    SYNONYMS.set(key, others);
  }
}

/** What can stand for the words with this stem. */
export function synonymsOf(key: string): Iterable<Synonym> {
  return SYNONYMS.get(key)?.values() ?? [];
}
